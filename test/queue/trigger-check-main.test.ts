import { setTimeout as sleep } from 'node:timers/promises';

import { N8nClient } from '../../tools/n8n';
import type { Cluster } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import { eventsOf, ONE_CHECK_MS, triggerWorkflow } from '../support/trigger/workflow';

const CALL = { from: '12125550123', to: '12125550100', ring_seconds: 1, talk_seconds: 2 };
const EVENTS = ['answered', 'ended', 'started'];
const LIST = 'GET /accounts/:account_id/webhooks';

describe("the event trigger's check in queue mode", () => {
	let own: Cluster;
	let pbx: TestPbx;
	beforeAll(
		async () => void ([own, pbx] = await Promise.all([startOwnN8n(), startPbx()])),
		120_000,
	);

	const listRequests = () => pbx.sandbox.pbx.requests.counters().by_row[LIST] ?? 0;

	it('runs only in the main process, whose loss stops no events and whose restart repairs webhooks', async () => {
		const n8n = await N8nClient.signIn(own.url);
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		const parameters = { deliveryOptions: { checkMinutes: 1 } };
		const workflow = await n8n.createWorkflow(triggerWorkflow(credential, parameters));
		await n8n.activate(workflow.id);
		const initial = listRequests();
		await eventually(() => expect(listRequests()).toBeGreaterThan(initial), ONE_CHECK_MS);
		await sleep(3000);
		const before = listRequests();
		await sleep(60_000);
		expect(listRequests()).toBe(before + 1);

		await own.main.kill();
		const whileDown = listRequests();
		await pbx.client.call({ ...CALL, speed: 1000, wait: 'delivered' });
		const { accepted, failed } = pbx.sandbox.pbx.deliveries.counters();
		expect({ isTaken: accepted > 0, failed }).toEqual({ isTaken: true, failed: 0 });
		const store = pbx.sandbox.pbx.firstAccount.webhooks;
		const [gone, off] = store.all();
		if (gone) store.remove(gone.id);
		if (off) store.put({ ...off, enabled: false });
		await sleep(ONE_CHECK_MS);
		expect(listRequests()).toBe(whileDown);

		await own.main.start();
		await eventually(() => {
			expect(store.all()).toHaveLength(EVENTS.length);
			expect(store.all().every(({ enabled }) => enabled)).toBe(true);
		}, ONE_CHECK_MS);
		const executions = await n8n.waitForExecutions(workflow.id, { count: EVENTS.length });
		expect(eventsOf(executions).sort()).toEqual(EVENTS);
		await n8n.deactivate(workflow.id);
		expect(store.all()).toEqual([]);
	}, 400_000);
});
