import { setTimeout as sleep } from 'node:timers/promises';
import { N8nClient, OWNER } from '../../tools/n8n';
import type { Workflow } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { eventsOf, triggerWorkflow } from '../support/trigger/workflow';

const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 1,
	talk_seconds: 2,
	speed: 100,
};
const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
/** A check each minute, at a second that nobody knows. */
const ONE_CHECK_MS = 75_000;

describe('the check of the event trigger in queue mode', () => {
	let own: OwnN8n;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let workflow: Workflow;
	beforeAll(async () => {
		[own, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
		n8n = await N8nClient.signIn(own.url, OWNER);
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		const parameters = { options: { checkMinutes: 1 } };
		workflow = await n8n.createWorkflow(triggerWorkflow(credential, parameters));
		await n8n.activate(workflow.id);
	}, 120_000);
	afterAll(async () => {
		await own.dispose();
		await pbx.sandbox.close();
	});

	const store = () => pbx.sandbox.pbx.firstAccount.webhooks;
	const hooks = () =>
		store()
			.all()
			.filter(({ enabled }) => enabled)
			.map(({ hook }) => hook)
			.sort();
	const lists = () =>
		pbx.sandbox.pbx.requests.list().filter(({ path }) => path.endsWith('/webhooks')).length;

	it('is made by the main process alone; without it events go on, and at its return all is right', async () => {
		const before = lists();
		await eventually(async () => expect(lists()).toBe(before + 1), ONE_CHECK_MS);

		await own.main.kill();
		const [gone, off] = store().all();
		const whileDown = lists();
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		const { accepted, failed } = pbx.sandbox.pbx.deliveries.counters();
		expect({ isTaken: accepted > 0, failed }).toEqual({ isTaken: true, failed: 0 });
		if (gone) store().remove(gone.id);
		if (off) store().put({ ...off, enabled: false });
		await sleep(ONE_CHECK_MS);
		expect(lists()).toBe(whileDown);

		await own.main.start();
		n8n = await N8nClient.signIn(own.url, OWNER);
		await eventually(async () => expect(hooks()).toEqual(ALL), ONE_CHECK_MS);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		const executions = await n8n.waitForExecutions(workflow.id, { count: 6 });
		expect(eventsOf(executions).sort()).toEqual([
			'answered',
			'answered',
			'ended',
			'ended',
			'started',
			'started',
		]);
		await n8n.deactivate(workflow.id);
		expect(store().all()).toEqual([]);
	}, 360_000);
});
