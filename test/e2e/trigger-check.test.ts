import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';

import { jsonOf, N8nClient, OWNER } from '../../tools/n8n';
import type { Execution, Workflow, WorkflowFile } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { eventsOf, TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 1,
	talk_seconds: 2,
	speed: 1000,
};
/** A check each minute, at a second that nobody knows. */
const ONE_CHECK_MS = 75_000;
const AFTER = 'After';
const FAIL = 'Fail';

/** The event trigger with two nodes behind it, of which the last one fails. */
function failingWorkflow(file: WorkflowFile): WorkflowFile {
	const behind = (name: string, type: string, parameters: IDataObject = {}) => ({
		...{
			id: randomUUID(),
			name,
			type,
			typeVersion: 1,
			position: [200, 0] as [number, number],
		},
		parameters: parameters as never,
	});
	return {
		...file,
		nodes: [
			...file.nodes,
			behind(AFTER, 'n8n-nodes-base.noOp'),
			behind(FAIL, 'n8n-nodes-base.stopAndError', {
				errorMessage: 'as ordered',
			}),
		],
		connections: {
			[TRIGGER]: { main: [[{ node: AFTER, type: 'main', index: 0 }]] },
			[AFTER]: { main: [[{ node: FAIL, type: 'main', index: 0 }]] },
		},
	};
}

describe('the event trigger at a PBX that switches webhooks off', () => {
	let own: OwnN8n;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let workflow: Workflow;
	beforeAll(async () => {
		[own, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
		pbx.sandbox.pbx.change({ profile: 'field', legs: 'both' });
		n8n = await N8nClient.signIn(own.url, OWNER);
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
		const options = { checkMinutes: 1, startsErrorWorkflow: true };
		workflow = await n8n.createWorkflow(triggerWorkflow(credential, { options }));
		await n8n.activate(workflow.id);
	});
	afterAll(async () => {
		await own.dispose();
		await pbx.sandbox.close();
	});

	const store = () => pbx.sandbox.pbx.firstAccount.webhooks;
	const hooks = () =>
		store()
			.all()
			.map(({ hook, enabled }) => (enabled ? hook : `${hook} off`))
			.sort();
	const newest = async () =>
		(await n8n.listExecutions({ workflowId: workflow.id }, 1))[0]?.id ?? '0';
	const log = () => readFileSync(own.main.log, 'utf8');

	/** A call runs the workflow once for each of its events. */
	async function expectEvents(): Promise<void> {
		const after = await newest();
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		const executions = await n8n.waitForExecutions(workflow.id, {
			count: 3,
			after,
		});
		expect(eventsOf(executions).sort()).toEqual(['answered', 'ended', 'started']);
	}

	it('makes right by itself what is switched off, deleted and doubled while it runs, and reports it', async () => {
		await expectEvents();
		const after = await newest();
		const [off, gone, double] = store().all();
		if (off)
			store().put({
				...off,
				enabled: false,
				disable_reason: 'too many failed attempts',
			});
		if (gone) store().remove(gone.id);
		if (double) store().put({ ...double, id: 'double' });
		await eventually(async () => expect(hooks()).toEqual(ALL), ONE_CHECK_MS);
		const [report] = await n8n.waitForExecutions(workflow.id, { after });
		expect(report?.status).toBe('error');
		expect(report?.data.resultData.error?.message).toMatch(
			/^the webhooks were repaired: .* was (?:disabled|switched off) \(too many failed attempts\)/,
		);
		await expectEvents();
		expect(log()).toMatch(/the webhooks were repaired/);
		expect(log()).not.toMatch(/may not reach this trigger|a check has failed/);
	}, 150_000);

	it('gets events again after n8n was killed for so long that the PBX switched its webhooks off', async () => {
		await own.main.kill();
		await eventually(async () => {
			await pbx.client.call({ ...CALL, wait: 'delivered' });
			expect(hooks()).toEqual(ALL.map((hook) => `${hook} off`));
		}, 60_000);
		await own.main.start();
		n8n = await N8nClient.signIn(own.url, OWNER);
		await eventually(async () => expect(hooks()).toEqual(ALL), ONE_CHECK_MS);
		await expectEvents();
		await n8n.deactivate(workflow.id);
		expect(store().all()).toEqual([]);
	}, 180_000);

	describe('with nodes behind it', () => {
		let failing: Workflow;
		beforeAll(async () => {
			const credential = await n8n.createCredential('virtualPbxApi', 'PBX of tests', pbx.account);
			failing = await n8n.createWorkflow(failingWorkflow(triggerWorkflow(credential)));
		});

		/** What came out of the node behind the trigger in the next execution. */
		async function next(start: () => Promise<unknown>, count = 1): Promise<Execution> {
			const [last] = await n8n.listExecutions({ workflowId: failing.id }, 1);
			await start();
			const after = last?.id ?? '0';
			const executions = await n8n.waitForExecutions(failing.id, {
				after,
				count,
			});
			const newest = executions.at(-1);
			if (!newest) throw new Error('There is no execution');
			return newest;
		}

		it('listens for test events', async () => {
			const tested = await next(async () => {
				expect(await n8n.runManually(failing, TRIGGER)).toMatchObject({
					waitingForWebhook: true,
				});
				await pbx.client.call({ ...CALL, wait: 'delivered' });
			});
			// Of a call's events, the first that a busy n8n gets ready for.
			expect(jsonOf(tested, AFTER)).toMatchObject([
				{ event: expect.stringMatching(/^(started|answered|ended)$/) as string },
			]);
		}, 60_000);

		it('runs on pinned data', async () => {
			const pinData = { [TRIGGER]: [{ json: { event: 'pinned' } }] };
			const saved = await n8n.updateWorkflow(failing.id, { ...failing, pinData } as never);
			const pinned = await next(async () => await n8n.runManually(saved, TRIGGER));
			await n8n.updateWorkflow(failing.id, { ...failing, pinData: {} } as never);
			expect(jsonOf(pinned, AFTER)).toEqual([{ event: 'pinned' }]);
		}, 60_000);

		it('is retried with the event that came', async () => {
			await n8n.activate(failing.id);
			const live = await next(
				async () => await pbx.client.call({ ...CALL, wait: 'delivered' }),
				ALL.length,
			);
			const retry = async () =>
				await n8n.rest.request('POST', `executions/${live.id}/retry`, {
					loadWorkflow: false,
				});
			const retried = await next(retry);
			expect(retried.data.resultData.error?.message).toBe('as ordered');
			expect(jsonOf(retried, AFTER)).toEqual(jsonOf(live, AFTER));
			await n8n.deactivate(failing.id);
			const left = store().all();
			expect(left.filter(({ name }) => name.includes(failing.name))).toEqual([]);
		}, 60_000);
	});
});
