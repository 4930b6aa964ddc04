import { cp, mkdtemp, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { N8nClient, OWNER, startN8n } from '../../tools/n8n';
import type { Credential, Workflow } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { IS_RELEASE } from '../support/release';
import { triggerWorkflow } from '../support/trigger/workflow';

const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 1,
	talk_seconds: 2,
	speed: 100,
};
const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];

describe('whose webhooks they are, in a real n8n', () => {
	let own: OwnN8n;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	let workflow: Workflow;
	/** How long n8n took to start the last time. */
	let startMs = 0;
	beforeAll(async () => {
		[own, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
		n8n = await N8nClient.signIn(own.url, OWNER);
		credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		workflow = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(workflow.id);
	});
	afterAll(async () => {
		pbx.sandbox.pbx.faults.clear();
		await own.dispose();
		await pbx.sandbox.close();
	});

	const store = () => pbx.sandbox.pbx.firstAccount.webhooks.all();
	const hooksUnder = (address: string) =>
		store()
			.filter(({ uri }) => uri.startsWith(address))
			.map(({ hook }) => hook)
			.sort();

	async function start(): Promise<void> {
		const begin = Date.now();
		await own.main.start();
		startMs = Date.now() - begin;
		n8n = await N8nClient.signIn(own.url, OWNER);
	}

	it('lets a copy with another address register its own, and leaves those of production', async () => {
		const production = store();
		await own.main.stop();
		const userFolder = await mkdtemp(path.join(tmpdir(), 'virtual-pbx-copy-'));
		await cp(own.main.place.userFolder, userFolder, { recursive: true });
		const staging = await startN8n({ userFolder });
		try {
			await eventually(async () => expect(hooksUnder(staging.url)).toEqual(ALL), 60_000);
			expect(store()).toEqual(expect.arrayContaining(production));
			const copy = await N8nClient.signIn(staging.url, OWNER);
			await copy.deactivate(workflow.id);
			expect(store()).toEqual(production);
		} finally {
			await staging.stop();
			await rm(userFolder, { recursive: true, force: true });
		}
	}, 180_000);

	it('lets the first of two published workflows with one path hear after a restart', async () => {
		await start();
		const [{ webhookId } = {}] = workflow.nodes;
		const file = triggerWorkflow(credential);
		const [node] = file.nodes;
		if (!node || !webhookId) throw new Error('The workflow has no trigger');
		const second = await n8n.createWorkflow({ ...file, nodes: [{ ...node, webhookId }] });
		await own.main.stop();
		await own.sql(
			`UPDATE workflow_entity SET active = 1, "activeVersionId" = "versionId" WHERE id = '${second.id}'`,
		);
		await start();
		// The first check comes within 20 seconds.
		await sleep(25_000);
		expect(hooksUnder(own.url)).toEqual(ALL);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		const heard = await n8n.waitForExecutions(workflow.id, { count: 3 });
		expect(heard.length).toBeGreaterThanOrEqual(3);
		await n8n.deactivate(second.id);
		expect(hooksUnder(own.url)).toEqual(ALL);
	}, 180_000);

	const publishAndDeactivate = async () => {
		for (const seconds of [0.15, 0.4]) {
			const latency = { kind: 'latency', path: '*/webhooks*', seconds } as const;
			const fault = pbx.sandbox.pbx.faults.add(latency);
			const current = await n8n.getWorkflow(workflow.id);
			const nodes = current.nodes.map((node) => ({
				...node,
				position: [seconds * 100, 0] as never,
			}));
			await n8n.updateWorkflow(workflow.id, { nodes });
			const publishing = n8n.activate(workflow.id).catch(() => undefined);
			while (fault.hits === 0) await sleep(20);
			await sleep(seconds * 500);
			await n8n.deactivate(workflow.id);
			await publishing;
			// Which of the two n8n takes last is its own affair.
			const { active } = await n8n.getWorkflow(workflow.id);
			expect([seconds, hooksUnder(own.url)]).toEqual([seconds, active ? ALL : []]);
			pbx.sandbox.pbx.faults.clear();
			await n8n.activate(workflow.id);
			expect(hooksUnder(own.url)).toEqual(ALL);
		}
	};
	if (IS_RELEASE)
		it(
			'leaves nothing when a workflow is deactivated while a new version of it is published',
			publishAndDeactivate,
			120_000,
		);

	it('brings other workflows up within 30 s although six triggers meet a PBX that never answers', async () => {
		const polling = { pollTimes: { item: [{ mode: 'everyMinute' }] }, event: 'newCall' };
		for (let count = 0; count < 5; count++) {
			const file = triggerWorkflow(credential);
			const [node] = file.nodes;
			const type = 'n8n-nodes-virtual-pbx.virtualPbxRecordTrigger';
			const asked = { ...file, nodes: [{ ...node, type, typeVersion: 1, parameters: polling }] };
			const { id } = await n8n.createWorkflow(count < 2 ? file : (asked as typeof file));
			await n8n.activate(id);
		}
		const other = await n8n.createWorkflow({
			name: 'Other',
			nodes: [
				{
					id: randomUUID(),
					name: 'Webhook',
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					position: [0, 0],
					webhookId: randomUUID(),
					parameters: { path: 'other', responseMode: 'onReceived' },
				},
			],
			connections: {},
		});
		await n8n.activate(other.id);
		await own.main.stop();
		await own.sql(`UPDATE workflow_entity SET "staticData" = NULL WHERE id <> '${workflow.id}'`);
		pbx.sandbox.pbx.faults.add({ kind: 'latency', path: '*', seconds: 300 });
		const usualMs = startMs;
		const begin = Date.now();
		await start();
		await eventually(async () => {
			const { status } = await fetch(`${own.url}/webhook/other`);
			expect(status).toBe(200);
		}, 120_000);
		expect(Date.now() - begin).toBeLessThan(30_000 + 3 * usualMs);
	}, 180_000);
});
