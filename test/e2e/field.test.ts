import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { jsonOf, outputOf } from '../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../tools/n8n';
import { connect, eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { actionNode, chainOf, runChain } from '../support/e2e/chain';
import type { Step } from '../support/e2e/chain';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';
import { recordWorkflow, RECORD_TRIGGER } from '../support/e2e/records';
import { TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 2,
	talk_seconds: 5,
	speed: 100,
	wait: 'delivered',
} as const;

/** The core of the end-to-end tests once more, on a PBX that does what live services do. */
describe('on the profile "field", in a real n8n', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	let active: Workflow[] = [];
	beforeAll(async () => {
		n8n = await connect();
		pbx = await startPbx({ settings: { profile: 'field', legs: 'both' } });
		credential = await n8n.createCredential('virtualPbxApi', 'PBX in the field', pbx.account);
	});
	afterEach(async () => {
		for (const { id } of active) await n8n.deactivate(id);
		active = [];
		expect(await pbx.client.webhooks()).toEqual([]);
	});
	afterAll(async () => await pbx.sandbox.close());

	const run = async (steps: Step[]) => {
		const nodes = steps.map((step) => actionNode(step, credential));
		return await runChain(n8n, chainOf(`Field ${randomUUID()}`, nodes));
	};
	const place = async (order: IDataObject = {}) => {
		const call = await pbx.client.call({ ...CALL, ...order });
		return String(call.bridge_id);
	};

	it('the event trigger tells each event of a call once, from the flat form', async () => {
		const events = ['started', 'answered', 'ended', 'missed'];
		const parameters = { events, options: { includeDetails: true } };
		const workflow = await n8n.createWorkflow(triggerWorkflow(credential, parameters));
		await n8n.activate(workflow.id);
		active.push(workflow);
		const calls = [await place(), await place({ outcome: 'cancelled' })];
		const executions = await n8n.waitForExecutions(workflow.id, { count: 5 });
		const items = executions.flatMap((execution) => jsonOf(execution, TRIGGER));

		const details = { leg: 'first', messageId: null, state: null };
		const call = { callType: 'incoming', customerNumber: CALL.from, companyNumber: CALL.to };
		for (const item of items) expect(item).toMatchObject({ ...call, details });
		expect(items.map(({ event, callId }) => `${String(event)} ${String(callId)}`).sort()).toEqual(
			[
				...['answered', 'ended', 'started'].map((event) => `${event} ${calls[0]}`),
				...['missed', 'started'].map((event) => `${event} ${calls[1]}`),
			].sort(),
		);
		const statuses = (await pbx.client.deliveries()).map(({ status }) => status);
		expect(new Set(statuses)).toEqual(new Set([200]));
	});

	it('the record trigger tells each call once, with number and name', async () => {
		const file = recordWorkflow(credential);
		const workflow = await n8n.createWorkflow(file);
		await n8n.activate(workflow.id);
		active.push(workflow);
		const given = async () => {
			const ended = await n8n.listExecutions({ workflowId: workflow.id, status: 'success' });
			const all = await Promise.all(ended.map(async ({ id }) => await n8n.getExecution(id)));
			return all.flatMap((execution) => jsonOf(execution, RECORD_TRIGGER));
		};
		const calls = [await place(), await place({ from: '101', to: '79995554433' })];
		await eventually(async () => {
			expect((await given()).length).toBeGreaterThanOrEqual(calls.length);
		}, POLL_PATIENCE_MS);
		const items = await given();

		expect(items).toHaveLength(2);
		expect(items.find(({ callId }) => callId === calls[0])).toMatchObject({
			callType: 'incoming',
			customerNumber: CALL.from,
			outcome: 'answered',
			talkSeconds: 5,
		});
		expect(items.find(({ callId }) => callId === calls[1])).toMatchObject({
			callType: 'outgoing',
			customerNumber: '79995554433',
			employee: '101',
		});
	});

	it('a caller is found by number beside a name, and the recording by an address with a date', async () => {
		const callId = await place({ from: '102', to: '100' });
		const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
		const range = { after: inSeconds(-600), before: inSeconds(600) };
		const filters = { callerNumber: '102' };
		const execution = await run([
			[
				'Find',
				'cdr:getMany',
				{ returnAll: true, ...range, filters, options: { includeDetails: true } },
			],
			['Download', 'recording:download', { source: 'call', callId, waitUntilAvailable: true }],
		]);

		const found = jsonOf(execution, 'Find');
		expect(found.map((one) => one.callId)).toEqual([callId, callId]);
		expect(found[0]).toMatchObject({
			employee: '102',
			details: { fromName: 'Maria Lebedeva', fromUri: '102 (Maria Lebedeva)' },
		});
		expect(String(found[0]?.recordingUrl)).toMatch(/^http:.*\/recorded\/\d{8}-.*call_recording_/);
		const [item] = outputOf(execution, 'Download');
		expect(item?.binary?.data).toMatchObject({ mimeType: expect.stringMatching(/^audio\//) });
	});

	it('webhooks and their attempts are given in both forms', async () => {
		const uri = `${pbx.client.url}/nowhere`;
		const parameters = { name: 'CRM', uri, hook: 'channel_destroy' };
		const created = await run([['Create', 'webhook:create', parameters]]);
		const value = String(jsonOf(created, 'Create')[0]?.id);
		const webhookId = { __rl: true, mode: 'id', value };
		const attempts = async () => {
			const step: Step = [
				'Look',
				'webhook:getAttempts',
				{ attemptsOf: 'one', webhookId, limit: 1 },
			];
			return jsonOf(await run([step]), 'Look');
		};
		await place();
		expect(await attempts()).toMatchObject([{ result: 'failure', response_code: '404' }]);
		pbx.sandbox.pbx.change({ attempt_keys: 'new' });
		expect(await attempts()).toMatchObject([{ result: 'failure', resp_status_code: '404', uri }]);
		pbx.sandbox.pbx.change({ attempt_keys: 'old' });
		await run([['Delete', 'webhook:delete', { webhookId }]]);
	});
});
