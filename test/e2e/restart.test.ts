import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { makeNode, N8nClient, rowOf, sql } from '../../tools/n8n';
import type { Cluster, Credential, Workflow } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import { platformField } from '../support/profile';
import { IS_RELEASE } from '../support/release';
import { recordWorkflow } from '../support/e2e/records';
import { ask, callflowNamed, makeFlow, routing, routingTrigger } from '../support/routing';
import { CALL, eventsOf, TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const LIST = 'GET /accounts/:account_id/webhooks';
const CHANGE = 'POST /accounts/:account_id/callflows/:id';
const RIGHT = { operations: [{ type: 'extension', extension: '100' }] };

/** An event workflow and a connected routing workflow on their own n8n instance, which is stopped and killed. */
describe('through restarts and crashes of n8n', () => {
	let own: Cluster;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	let workflow: Workflow;
	let flow: Awaited<ReturnType<typeof makeFlow>>;
	/** The callflow before it was connected. */
	let before: IDataObject & { id: string };
	/** How long n8n's last start took. */
	let startMs = 0;

	beforeAll(async () => {
		[own, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
		n8n = await N8nClient.signIn(own.url);
		credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		workflow = await n8n.createWorkflow(triggerWorkflow(credential));
		before = await callflow();
		const callflowId = { __rl: true, mode: 'id', value: before.id };
		flow = await makeFlow(n8n, [
			routingTrigger({ connect: 'callflow', callflowId }, credential),
			routing('buildAnswer', RIGHT.operations),
		]);
		for (const { id } of [workflow, flow]) await n8n.activate(id);
	});
	afterAll(() => faults().clear());

	/** Returns the routing answer as the PBX receives it: on Kazoo, a flow. */
	const sent = () => {
		if (platformField().dialect !== 'kazoo') return RIGHT;
		const user = pbx.sandbox.pbx.firstAccount.user({ extension: '100' });
		return { module: 'user', data: { id: user?.id } };
	};
	const faults = () => pbx.sandbox.pbx.faults;
	const store = () => pbx.sandbox.pbx.firstAccount.webhooks;
	const callflow = async () => await callflowNamed(pbx, 'Sales group');
	const hooksAt = (side: string) =>
		store()
			.all()
			.filter(({ uri }) => uri.startsWith(`${own.url}/${side}/`))
			.map(({ hook }) => hook)
			.sort();
	/** Returns how many requests the PBX received for a row of the contract. */
	const requestsTo = (row: string) => pbx.sandbox.pbx.requests.counters().by_row[row] ?? 0;

	async function start(): Promise<void> {
		const begin = Date.now();
		await own.main.start();
		startMs = Date.now() - begin;
		n8n = await N8nClient.signIn(own.url);
	}

	/** Expects a call to run the event workflow once per event. */
	async function expectEvents(): Promise<void> {
		const [last] = await n8n.listExecutions({ workflowId: workflow.id }, 1);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		// Leaves out failed executions, which report repairs.
		const found = await eventually(async () => {
			const all = await n8n.listExecutions({ workflowId: workflow.id, status: 'success' });
			const newer = all.filter(({ id }) => Number(id) > Number(last?.id ?? 0));
			expect(newer).toHaveLength(3);
			return newer;
		}, 60_000);
		const executions = await Promise.all(found.map(async ({ id }) => await n8n.getExecution(id)));
		expect(eventsOf(executions).sort()).toEqual(['answered', 'ended', 'started']);
	}

	/** Expects one healthy webhook per event, the original flow as the pivot's child, and both workflows working. */
	async function expectHealthy(): Promise<void> {
		await eventually(() => expect(hooksAt('webhook')).toEqual(ALL), 60_000);
		const connected = { ...before, flow: { module: 'pivot', children: { _: before.flow } } };
		await eventually(async () => expect(await callflow()).toMatchObject(connected), 60_000);
		await eventually(async () => expect((await ask(flow.url)).body).toMatchObject(sent()));
		await expectEvents();
	}

	it('repairs webhooks deleted, disabled, or duplicated while n8n was down with lost static data, and removes test webhooks', async () => {
		await n8n.runManually(workflow, TRIGGER);
		expect(hooksAt('webhook-test')).toEqual(ALL);
		const [create, answer, destroy] = store()
			.all()
			.filter(({ uri }) => uri.includes('/webhook/'));
		await own.main.kill();
		await sql(own.database, 'UPDATE workflow_entity SET "staticData" = NULL');
		if (create) store().remove(create.id);
		if (answer)
			store().put({ ...answer, enabled: false, disable_reason: 'too many failed attempts' });
		if (destroy) store().put({ ...destroy, id: 'double' });
		await start();
		await expectHealthy();
		await eventually(() => expect(hooksAt('webhook-test')).toEqual([]));
	});

	if (IS_RELEASE)
		it('recovers from kill -9 between a change at the PBX and saving it, and leaves nothing behind', async () => {
			for (const { id } of [workflow, flow]) await n8n.deactivate(id);
			expect([store().all(), await callflow()]).toEqual([[], before]);
			const slow = { kind: 'latency', method: 'GET', times: 1, seconds: 30 } as const;
			faults().add({ ...slow, path: '*/webhooks', skip: 3 });
			faults().add({ ...slow, path: '/accounts/*/callflows/*', skip: 2 });
			const earlier = requestsTo(CHANGE);
			const publishing = [workflow, flow].map(
				async ({ id }) => await n8n.activate(id).catch(() => undefined),
			);
			await eventually(() => {
				expect(store().all()).toHaveLength(3);
				expect(requestsTo(CHANGE)).toBe(earlier + 1);
			});
			await own.main.kill();
			await Promise.all(publishing);
			faults().clear();

			await start();
			await n8n.activate(flow.id);
			await expectHealthy();
			for (const { id } of [workflow, flow]) await n8n.deactivate(id);
			expect([store().all(), await callflow()]).toEqual([[], before]);
		});

	if (IS_RELEASE && process.env.TEST_PUBLISHING !== 'older')
		it('registers webhooks within seconds when n8n resumes publishing after a kill, once its lease expires', async () => {
			await n8n.deactivate(workflow.id);
			faults().add({ kind: 'latency', method: 'PUT', path: '*/webhooks', seconds: 30 });
			const [earlier, publishing] = [requestsTo(LIST), n8n.activate(workflow.id)];
			await eventually(() => expect(requestsTo(LIST)).toBeGreaterThan(earlier + 1));
			await own.main.kill();
			await publishing.catch(() => undefined);
			faults().clear();
			expect(hooksAt('webhook')).toEqual([]);

			await start();
			await eventually(
				async () => expect((await n8n.publicationOf(workflow.id)).status).toBe('published'),
				200_000,
			);
			await eventually(() => expect(hooksAt('webhook')).toEqual(ALL), 6_000);
			await expectEvents();
			await n8n.deactivate(workflow.id);
		}, 400_000);

	it('keeps its registrations through a stop, starts other workflows in time if the PBX never responds, and serves the first of two workflows with the same path', async () => {
		for (const { id } of [workflow, flow]) await n8n.activate(id);
		const file = triggerWorkflow(credential);
		const [{ webhookId } = {}] = workflow.nodes;
		const nodes = file.nodes.map((node) => ({ ...node, webhookId: webhookId ?? '' }));
		const second = await n8n.createWorkflow({ ...file, nodes });
		const dependent = [1, 2, 3, 4, 5].map((count) =>
			count < 3 ? triggerWorkflow(credential) : recordWorkflow(credential),
		);
		const parameters = { path: randomUUID(), responseMode: 'onReceived' };
		const plain = makeNode('Webhook', 'n8n-nodes-base.webhook', parameters, { typeVersion: 2 });
		for (const one of [...dependent, rowOf('Other', [plain])])
			await n8n.activate((await n8n.createWorkflow(one)).id);
		const [registered, connected] = [hooksAt('webhook'), await callflow()];
		await own.main.stop();
		await sql(
			own.database,
			`UPDATE workflow_entity SET "staticData" = NULL WHERE id NOT IN ('${workflow.id}', '${flow.id}')`,
		);
		await sql(
			own.database,
			`UPDATE workflow_entity SET active = TRUE, "activeVersionId" = "versionId" WHERE id = '${second.id}'`,
		);
		faults().add({ kind: 'latency', path: '*', seconds: 300 });
		const [lastMs, begin] = [startMs, Date.now()];
		await start();
		await eventually(async () => {
			expect((await fetch(`${own.url}/webhook/${parameters.path}`)).status).toBe(200);
		}, 120_000);
		expect(Date.now() - begin).toBeLessThan(30_000 + 3 * lastMs);

		faults().clear();
		const earlier = requestsTo(LIST);
		await eventually(() => expect(requestsTo(LIST)).toBeGreaterThan(earlier + 2), 120_000);
		expect([hooksAt('webhook'), await callflow()]).toEqual([registered, connected]);
		await expectEvents();
		await n8n.deactivate(second.id);
		expect(hooksAt('webhook')).toEqual(registered);
	}, 300_000);
});
