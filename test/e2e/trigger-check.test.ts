import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';

import { jsonOf, N8nClient, OWNER } from '../../tools/n8n';
import type { Execution, Workflow, WorkflowFile } from '../../tools/n8n';
import { eventually } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { CheckBed, errorsOf, HOOKS, makeErrorWorkflow } from '../support/trigger/checkBed';
import { TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

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

/** What n8n notes of a run of the trigger. */
const outputOfTrigger = (json: IDataObject) => ({
	startTime: 0,
	executionTime: 0,
	executionIndex: 0,
	executionStatus: 'success',
	source: [],
	data: { main: [[{ json }]] },
});

describe('the event trigger at a PBX that switches webhooks off', () => {
	let own: OwnN8n;
	let n8n: N8nClient;
	let bed: CheckBed;
	let errors: Workflow;
	beforeAll(async () => {
		own = await startOwnN8n();
		n8n = await N8nClient.signIn(own.url, OWNER);
		errors = await makeErrorWorkflow(n8n);
		bed = await CheckBed.start(n8n, { startsErrorWorkflow: true }, { errorWorkflow: errors.id });
		bed.pbx.sandbox.pbx.change({ profile: 'field', legs: 'both' });
	});
	afterAll(async () => {
		await own.dispose();
		await bed.close();
	});

	const log = () => readFileSync(own.main.log, 'utf8');

	it('makes right by itself what is switched off, deleted and doubled while it runs, and reports it', async () => {
		await bed.expectEvents();
		const after = await bed.newest();
		const [off, gone, double] = bed.own();
		if (off) bed.store.put({ ...off, enabled: false, disable_reason: 'too many failed attempts' });
		if (gone) bed.store.remove(gone.id);
		if (double) bed.store.put({ ...double, id: 'double' });
		await bed.becomesHealthy();
		const [report] = await n8n.waitForExecutions(bed.workflow.id, { after });
		expect(report?.status).toBe('error');
		const message = expect.stringMatching(
			/^the webhooks were repaired: .* was disabled \(too many failed attempts\)/,
		) as string;
		expect(report?.data.resultData.error?.message).toEqual(message);
		expect(await errorsOf(n8n, errors)).toMatchObject([
			{ trigger: { error: { message } }, workflow: { name: bed.workflow.name } },
		]);
		await bed.expectEvents();
		expect(log()).toMatch(/the webhooks were repaired/);
		expect(log()).not.toMatch(/could not be checked|could not be repaired/);
	}, 150_000);

	it('gets events again after n8n was killed for so long that the PBX switched its webhooks off', async () => {
		await own.main.kill();
		await eventually(async () => {
			await bed.call();
			expect(bed.hooks()).toEqual(HOOKS.map((hook) => `${hook} off`));
		}, 60_000);
		await own.main.start();
		await bed.becomesHealthy();
		await bed.expectEvents();
		await bed.deactivate();
	}, 180_000);

	describe('with nodes behind it', () => {
		let failing: Workflow;
		beforeAll(async () => {
			const credential = await n8n.createCredential(
				'virtualPbxApi',
				'PBX of tests',
				bed.pbx.account,
			);
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
				await bed.call();
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

		it('runs a node alone on what the trigger has put out', async () => {
			const runData = { [TRIGGER]: [outputOfTrigger({ event: 'earlier' })] };
			const run = { workflowData: failing, runData, dirtyNodeNames: [] };
			const partial = await next(
				async () =>
					await n8n.rest.request('POST', `workflows/${failing.id}/run`, {
						...run,
						destinationNode: { nodeName: AFTER, mode: 'inclusive' },
					}),
			);
			expect(partial.status).toBe('success');
			expect(jsonOf(partial, AFTER)).toEqual([{ event: 'earlier' }]);
		}, 60_000);

		it('is retried with the event that came', async () => {
			await n8n.activate(failing.id);
			const live = await next(async () => await bed.call(), HOOKS.length);
			const retry = async () =>
				await n8n.rest.request('POST', `executions/${live.id}/retry`, {
					loadWorkflow: false,
				});
			const retried = await next(retry);
			expect(retried.data.resultData.error?.message).toBe('as ordered');
			expect(jsonOf(retried, AFTER)).toEqual(jsonOf(live, AFTER));
			await n8n.deactivate(failing.id);
			const left = bed.store.all();
			expect(left.filter(({ name }) => name.includes(failing.name))).toEqual([]);
		}, 60_000);
	});
});
