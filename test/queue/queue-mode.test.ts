import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { startRig } from '../../tools/endurance/rig';
import type { Rig } from '../../tools/endurance/rig';
import { runKept, watchAccepted } from '../../tools/endurance/runs';
import { runStarts } from '../../tools/endurance/starts';
import { NO_EDITOR } from '../../tools/n8n';
import type { Credential, N8nClient } from '../../tools/n8n';
import { eventually, later, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { expectNoLeaks } from '../support/e2e/secrets';
import { IS_RELEASE, times } from '../support/release';
import { unless } from '../support/unless';
import { ask, fail, makeFlow, routing, routingTrigger } from '../support/routing';
import { eventsOf, triggerWorkflow } from '../support/trigger/workflow';

const CALL = { from: '12125550123', to: '12125550100', ring_seconds: 2, talk_seconds: 5 };
const RIGHT = { operations: [{ type: 'extension', extension: '100' }] };

/** Uses real Redis and PostgreSQL. */
describe('queue mode with two webhook processes and two workers', () => {
	let rig: Rig;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	/** URLs of the webhook processes. */
	let addresses: string[];
	beforeAll(async () => {
		rig = await startRig('queue', { ...NO_EDITOR, N8N_LOG_LEVEL: 'info' });
		later(rig.dispose);
		later(async () => await expectNoLeaks(rig));
		process.env.SHARED_N8N_SECRETS = path.join(rig.main.place.userFolder, '.n8n/nodes/secrets');
		addresses = rig.webhooks.map(({ url }) => url);
		n8n = rig.client;
		pbx = await startPbx();
		credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
	}, 300_000);

	it('emits each event once, rejects a wrong secret in every process, and removes its webhooks', async () => {
		const workflow = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(workflow.id);
		const [hook] = await pbx.client.webhooks();
		const { pathname } = new URL(String(hook?.uri));
		expect(String(hook?.uri)).toContain(n8n.rest.url);
		await pbx.client.call({ ...CALL, speed: 100, wait: 'delivered' });
		const executions = await n8n.waitForExecutions(workflow.id, { count: 3 });
		expect(eventsOf(executions).sort()).toEqual(['answered', 'ended', 'started']);

		for (const url of addresses) {
			const { status } = await fetch(`${url}${pathname}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ hook_event: 'channel_create', call_id: 'forged', custom_data: {} }),
			});
			expect(status).toBe(401);
		}
		await n8n.deactivate(workflow.id);
		expect(await pbx.client.webhooks()).toEqual([]);
		expect(await n8n.listExecutions({ workflowId: workflow.id })).toHaveLength(3);
	});

	it('responds to a routing request, and falls back when the workflow fails', async () => {
		// n8n can lose the answer of the last node in queue mode.
		const router = () => routingTrigger({ deadline: 4 });
		const good = await makeFlow(n8n, [router(), routing('buildAnswer', RIGHT.operations)]);
		const bad = await makeFlow(n8n, [router(), fail]);
		for (const { id } of [good, bad]) await n8n.activate(id);
		for (const url of addresses) {
			const at = (flow: { url: string }) => flow.url.replace(n8n.rest.url, url);
			await eventually(async () => expect((await ask(at(good))).body).toEqual(RIGHT));
			expect(await ask(at(bad))).toMatchObject({ status: 200, by: 'fallback' });
		}
		for (const { id } of [good, bad]) await n8n.deactivate(id);
	});

	it('loses no response of the Respond operation under load', async () => {
		const flow = await makeFlow(n8n, [
			routingTrigger({ responseMode: 'responseNode' }),
			routing('respond', RIGHT.operations),
		]);
		await n8n.activate(flow.id);
		for (let burst = 0; burst < times(5, 10); burst++) {
			const answers = await Promise.all(
				Array.from({ length: 10 }, async () => await ask(flow.url)),
			);
			for (const answer of answers)
				expect(answer).toMatchObject({ status: 200, by: 'workflow', body: RIGHT });
		}
		await n8n.deactivate(flow.id);
	});

	it('detects a repeated delivery only in the process that accepted the event', async () => {
		const workflow = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(workflow.id);
		await pbx.client.call({ ...CALL, speed: 100, wait: 'delivered' });
		await n8n.waitForExecutions(workflow.id, { count: 3 });
		const [hook] = await pbx.client.webhooks();
		const attempts = (await pbx.client.pbx('GET', `webhooks/${String(hook?.id)}/attempts`)).data;
		const [attempt] = attempts as IDataObject[];
		const { pathname } = new URL(String(hook?.uri));
		const responses: string[] = [];
		for (const url of [...addresses, ...addresses]) {
			const response = await fetch(`${url}${pathname}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: String(attempt?.req_body),
			});
			responses.push(`${response.status} ${await response.text()}`);
		}

		expect(responses.filter((response) => response.includes('repeated delivery'))).toHaveLength(3);
		expect(await n8n.waitForExecutions(workflow.id, { count: 4 })).toHaveLength(4);
		await n8n.deactivate(workflow.id);
	});

	it('starts the workflow for every acknowledged event, even while a process is killed', async () => {
		const everyLeg = { simplify: false, options: { legs: 'everyLeg' } };
		const workflow = await n8n.createWorkflow(triggerWorkflow(credential, everyLeg));
		await n8n.activate(workflow.id);
		const events = watchAccepted(pbx.sandbox);
		const calls = Array.from({ length: 8 }, async () => {
			const call = await pbx.sandbox.call({ ...CALL, speed: 5 });
			await Promise.all(call.deliveries);
		});
		await Promise.all([...calls, rig.webhooks[0]?.restart('kill')]);
		const accepted = [...events.keys()];
		expect(accepted.length).toBeGreaterThan(calls.length);
		await eventually(async () => {
			const stored = await rig.stored(workflow.id);
			expect(stored.flatMap(({ ids }) => ids)).toEqual(expect.arrayContaining(accepted));
		});
		await n8n.deactivate(workflow.id);
	});

	it('starts the workflow for each call record once, while processes are killed', async () => {
		const started = await runStarts(rig, { rounds: times(1, 10), calls: times(20, 200) });
		expect(started).toMatchObject({ withoutRow: 0, withTwoSuccesses: 0 });
	}, 3_600_000);

	const inRelease = unless(
		IS_RELEASE ? undefined : 'killing processes while calls are logged: only for a release',
		it,
	);
	inRelease(
		'logs each call in the CRM once while processes are killed',
		async () => {
			const kills = { pauses: { min: 4, max: 8 }, minFaults: 4 };
			const kept = await runKept(rig, { profile: 'contract', events: 60, ...kills });
			expect(kept).toMatchObject({ forgotten: 0, lost: 0, withoutNote: 0, withTwoNotes: 0 });
			// The PBX waits before each retry for as long as all processes took to start here.
		},
		900_000,
	);
});
