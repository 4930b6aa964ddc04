import { startCluster } from '../../tools/n8n';
import type { Cluster, N8nClient } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { ask, fail, makeFlow, routing, routingTrigger } from '../support/routing';
import { eventsOf, triggerWorkflow } from '../support/trigger/workflow';

const CALL = { from: '74951234567', to: '74950000100', ring_seconds: 2, talk_seconds: 5 };
const RIGHT = { operations: [{ type: 'extension', extension: '100' }] };

/** A cluster of its own, on real Redis and PostgreSQL. */
describe('queue mode with two webhook processes and two workers', () => {
	let cluster: Cluster;
	let n8n: N8nClient;
	let pbx: TestPbx;
	beforeAll(async () => {
		pbx = await startPbx();
		cluster = await startCluster({ webhooks: 2, workers: 2 });
		n8n = await cluster.main.signIn();
	});
	afterAll(async () => {
		await cluster?.dispose();
		await pbx.sandbox.close();
	});

	it('gives each event once, refuses a wrong secret in every process, and leaves nothing', async () => {
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		const workflow = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(workflow.id);
		const [hook] = await pbx.client.webhooks();
		const { pathname } = new URL(String(hook?.uri));
		expect(String(hook?.uri)).toContain(cluster.url);
		await pbx.client.call({ ...CALL, speed: 100, wait: 'delivered' });
		const executions = await n8n.waitForExecutions(workflow.id, { count: 3 });
		expect(eventsOf(executions).sort()).toEqual(['answered', 'ended', 'started']);

		for (const { url } of cluster.webhooks) {
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

	it('answers a routing request, and falls back when the workflow fails', async () => {
		const good = await makeFlow(n8n, [routingTrigger(), routing('buildAnswer', RIGHT.operations)]);
		const bad = await makeFlow(n8n, [routingTrigger(), fail]);
		for (const { id } of [good, bad]) await n8n.activate(id);
		for (const { url } of cluster.webhooks) {
			const at = (flow: { url: string }) => flow.url.replace(n8n.rest.url, url);
			await eventually(async () => expect((await ask(at(good))).body).toEqual(RIGHT));
			expect(await ask(at(bad))).toMatchObject({ status: 200, by: 'fallback' });
		}
		for (const { id } of [good, bad]) await n8n.deactivate(id);
	});
});
