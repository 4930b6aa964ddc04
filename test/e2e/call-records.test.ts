import { setTimeout as sleep } from 'node:timers/promises';
import { readExample } from '../../tools/demo/examples';
import type { Credential, N8nClient, Workflow } from '../../tools/n8n';
import { eventually, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { actionNode, chainOf } from '../support/e2e/chain';
import { importExample } from '../support/e2e/examples';
import { RECORD_TRIGGER, recordWorkflow } from '../support/e2e/records';
import { recordingKind } from '../support/profile';

const CALL = {
	from: '12125550123',
	to: '12125550100',
	ring_seconds: 2,
	talk_seconds: 5,
	speed: 100,
};
/** Polls at once: n8n polls on activation. */
async function pollNow(n8n: N8nClient, { id }: Workflow): Promise<void> {
	await n8n.deactivate(id);
	await n8n.activate(id);
}

describe('examples with call records, as shipped', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	beforeAll(async () => ({ n8n, pbx, credential } = await startBed()));

	it('log every call in the CRM with its recording', async () => {
		const workflow = await importExample(n8n, pbx, 'calls-with-recordings-to-crm.json');
		await n8n.activate(workflow.id);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await pbx.client.call({ ...CALL, from: '12125550168', outcome: 'busy', wait: 'delivered' });
		await pbx.client.call({ ...CALL, from: '100', to: '17185550143', wait: 'delivered' });
		await pollNow(n8n, workflow);
		const [execution] = await n8n.waitForExecutions(workflow.id);
		await n8n.deactivate(workflow.id);

		expect(execution?.status).toBe('success');
		const notes = await pbx.client.notes();
		expect(notes).toHaveLength(5);
		const written = notes.find(({ phone }) => phone === CALL.from) ?? {};
		expect(written.text).toBe('Incoming call answered by employee 100, lasted 5 s');
		const textOf = (customer: string) => notes.find(({ phone }) => phone === customer)?.text;
		expect(textOf('12125550168')).toMatch(/^Incoming call.*, busy$/);
		expect(textOf('17185550143')).toBe('Outgoing call by employee 100, lasted 5 s');
		const attached = notes.filter(({ recording }) => recording);
		expect(attached).toHaveLength(2);
		expect(attached).toContainEqual({
			callId: written.callId,
			recording: { type: recordingKind().type, bytes: expect.any(Number) },
		});
	});

	it("pass the trigger's recording to the next node", async () => {
		await pbx.client.reset();
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await sleep(200);
		const parameters = { event: 'recordingReady', downloadRecording: true, firstRun: 'last' };
		const file = recordWorkflow(credential, parameters);
		const example = 'calls-with-recordings-to-crm.json';
		const attach = await readExample(example, [credential], pbx.client.url);
		const upload = attach.nodes.filter(({ name }) => name === 'Attach Recording');
		const link = { main: [[{ node: 'Attach Recording', type: 'main' as const, index: 0 }]] };
		const connections = { [RECORD_TRIGGER]: link };
		const workflow = await n8n.createWorkflow({
			...file,
			nodes: [...file.nodes, ...upload],
			connections,
		});
		await n8n.activate(workflow.id);
		const [execution] = await n8n.waitForExecutions(workflow.id);
		await n8n.deactivate(workflow.id);
		expect(execution?.status).toBe('success');
		expect(await pbx.client.notes()).toMatchObject([
			{ recording: { type: recordingKind().type, bytes: expect.any(Number) } },
		]);
	});

	it('stop waiting for a recording when the execution is stopped', async () => {
		const [account] = [...pbx.sandbox.pbx.accounts.keys()];
		const link = `${pbx.client.url}/v1/pbx/accounts/${account}/recordings/`;
		const parameters = {
			source: 'url',
			recordingUrl: `${link}a.wav`,
			waitUntilAvailable: true,
			maxWaitSeconds: 60,
		};
		const download = actionNode(['Download', 'recording:download', parameters], credential);
		const workflow = await n8n.createWorkflow(chainOf('Download', [download]));
		const attempts = () =>
			pbx.sandbox.pbx.requests.list().filter(({ path }) => path.endsWith('/a.wav')).length;
		const { executionId } = await n8n.runManually(workflow, 'Start');
		await eventually(async () => expect(attempts()).toBeGreaterThan(0));
		await n8n.rest.request('POST', `executions/${executionId}/stop`, {});
		const [execution] = await n8n.waitForExecutions(workflow.id);
		expect(execution?.status).toBe('canceled');
		const before = attempts();
		await sleep(5000);
		expect(attempts()).toBe(before);
	});
});
