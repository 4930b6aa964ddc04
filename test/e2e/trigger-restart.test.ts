import type { IDataObject } from 'n8n-workflow';
import { N8nClient, OWNER } from '../../tools/n8n';
import type { N8nProcess, Workflow } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { IS_RELEASE } from '../support/release';
import { eventsOf, TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 2,
	talk_seconds: 20,
	speed: 100,
};
const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];

describe('the event trigger through restarts and crashes of n8n', () => {
	let own: OwnN8n;
	let process: N8nProcess;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let workflow: Workflow;
	beforeAll(async () => {
		[own, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
		process = own.main;
		n8n = await N8nClient.signIn(own.url, OWNER);
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		workflow = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(workflow.id);
	});
	afterAll(async () => {
		await own.dispose();
		await pbx.sandbox.close();
	});

	const hooksAt = async (side: string) =>
		(await pbx.client.webhooks())
			.filter(({ uri }) => String(uri).includes(`/${side}/`))
			.map(({ hook }) => hook)
			.sort();
	const faults = () => pbx.sandbox.pbx.faults;
	const store = () => pbx.sandbox.pbx.firstAccount.webhooks;

	async function start(): Promise<void> {
		await process.start();
		n8n = await N8nClient.signIn(own.url, OWNER);
	}

	/** One healthy webhook per event, and a call that runs the workflow once for each. */
	async function expectHealthy(): Promise<void> {
		await eventually(async () => expect(await hooksAt('webhook')).toEqual(ALL), 60_000);
		const [last] = await n8n.listExecutions({ workflowId: workflow.id }, 1);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		// A repair that was told in between is a failed execution.
		const found = await eventually(async () => {
			const all = await n8n.listExecutions({ workflowId: workflow.id, status: 'success' });
			const newer = all.filter(({ id }) => Number(id) > Number(last?.id ?? 0));
			expect(newer).toHaveLength(3);
			return newer;
		}, 60_000);
		const executions = await Promise.all(found.map(async ({ id }) => await n8n.getExecution(id)));
		expect(eventsOf(executions).sort()).toEqual(['answered', 'ended', 'started']);
	}

	it('keeps its webhooks through a restart, and sweeps those of a test that n8n did not survive', async () => {
		const before = await pbx.client.webhooks();
		await n8n.runManually(workflow, TRIGGER);
		expect(await hooksAt('webhook-test')).toEqual(ALL);
		await process.stop();
		await start();
		await eventually(async () => expect(await pbx.client.webhooks()).toEqual(before));
		await expectHealthy();
	});

	const surviveKill = async () => {
		const before = await pbx.client.webhooks();
		await process.kill();
		await start();
		expect(await pbx.client.webhooks()).toEqual(before);
		await expectHealthy();
	};
	if (IS_RELEASE) it('keeps its webhooks through kill -9', surviveKill);

	it('makes right what was deleted, disabled, edited and doubled while n8n was down and its data were lost', async () => {
		await process.stop();
		await own.sql('UPDATE workflow_entity SET "staticData" = NULL');
		const [create, answer, destroy] = store().all();
		if (create) store().remove(create.id);
		if (answer)
			store().put({ ...answer, enabled: false, disable_reason: 'too many failed attempts' });
		if (destroy) store().put({ ...destroy, id: 'double' });
		await start();
		await expectHealthy();
	});

	it('goes on listening when the PBX is down while n8n starts', async () => {
		await process.kill();
		const fault = faults().add({ kind: 'status', path: '*/webhooks', status: 500 });
		await start();
		await eventually(async () => expect(faults().list()[0]?.hits).toBeGreaterThan(0));
		await expectDelivered();
		faults().remove(fault.id);
		await expectHealthy();
	});

	async function expectDelivered(): Promise<void> {
		const [last] = await n8n.listExecutions({ workflowId: workflow.id }, 1);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await n8n.waitForExecutions(workflow.id, { count: 3, after: last?.id ?? '0' });
	}

	it('has exactly one healthy webhook per event after kill -9 between registering and saving', async () => {
		await n8n.deactivate(workflow.id);
		expect(await pbx.client.webhooks()).toEqual([]);
		faults().add({
			kind: 'latency',
			method: 'GET',
			path: '*/webhooks',
			skip: 3,
			times: 1,
			seconds: 30,
		});
		const activation = n8n.activate(workflow.id).catch(() => undefined);
		await eventually(async () => expect(store().all()).toHaveLength(3));
		await process.kill();
		await activation;
		faults().clear();
		const registered = store()
			.all()
			.map(({ custom_data: data }) => data as IDataObject);

		await start();
		await expectHealthy();
		expect(registered).toHaveLength(3);
		await n8n.deactivate(workflow.id);
		expect(await pbx.client.webhooks()).toEqual([]);
	});
});
