import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { jsonOf, makeNode } from '../../tools/n8n';
import type { N8nClient, Workflow } from '../../tools/n8n';
import { eventually, SHORT, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { chainOf, errorOf, runChain, runToEnd } from '../support/e2e/chain';
import { importExample } from '../support/e2e/examples';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';

const TO = '12125550100';
const CUSTOMER = '12125550123';
const OTHER = '17185550102';
const CALL = { ...SHORT, ring_seconds: 1 } as const;
/** Records have whole seconds, and accelerated calls are dated by their own, slower clock. */
const SECOND_MS = 1500;

describe('the call-back desk', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let workflow: Workflow;

	/** Runs a row operation on the data table. Returns the node's output. */
	async function onTable(operation: string, parameters: INodeParameters): Promise<IDataObject[]> {
		const dataTableId = { __rl: true, mode: 'name', value: 'Call-backs' };
		const node = makeNode(
			'Rows',
			'n8n-nodes-base.dataTable',
			{ resource: 'row', operation, dataTableId, ...parameters },
			{ typeVersion: 1.1 },
		);
		const execution = await runChain(n8n, chainOf('Data table', [node]));
		expect(errorOf(execution)).toBeUndefined();
		return jsonOf(execution, 'Rows').filter(({ id }) => id !== undefined);
	}

	/** Returns the tasks sorted by number, oldest first. */
	async function tasks(): Promise<IDataObject[]> {
		const ascending = { orderBy: true, orderByColumn: 'id', orderByDirection: 'ASC' };
		const found = await onTable('get', { returnAll: true, ...ascending });
		return found.sort((one, other) => String(one.number).localeCompare(String(other.number)));
	}

	/** Waits for the expected tasks. Each check is an execution: more than one a second would slow down polling. */
	const untilTasks = async (...expected: object[]) =>
		await eventually(async () => {
			await sleep(1000);
			const all = expected.map((one) => expect.objectContaining(one) as object);
			expect(await tasks()).toEqual(all);
		}, POLL_PATIENCE_MS);

	const calls = async (from: string, to: string, more: object = {}) =>
		await pbx.client.call({ ...CALL, from, to, ...more });

	beforeAll(async () => {
		({ n8n, pbx } = await startBed());
		workflow = await importExample(n8n, pbx, 'call-back-desk.json');
		await runToEnd(n8n, workflow, 'Set Up');
		await n8n.activate(workflow.id);
	});
	afterAll(async () => await n8n.deactivate(workflow.id));

	it('opens a task for each missed caller, but not for anonymous callers or employees', async () => {
		await calls(CUSTOMER, TO, { outcome: 'cancelled' });
		await calls(OTHER, TO, { outcome: 'cancelled' });
		await calls('anonymous', TO, { outcome: 'cancelled' });
		await calls('100', '101', { outcome: 'cancelled' });
		await untilTasks({ number: CUSTOMER, status: 'open' }, { number: OTHER, status: 'open' });
	}, 240_000);

	it('keeps the task of a repeat caller, records failed call-backs, and closes the task of a caller who was reached', async () => {
		const [{ missedAt, lastMissedAt } = {}] = await tasks();
		await calls(CUSTOMER, TO, { outcome: 'busy' });
		await calls('100', OTHER);
		await sleep(SECOND_MS);
		await calls('101', CUSTOMER, { outcome: 'busy' });
		const attempt = { takenBy: '101', triedAt: expect.any(String) as string };
		await untilTasks(
			{ status: 'open', missedAt, ...attempt },
			{ status: 'closed', closedBy: '100' },
		);
		const [task] = await tasks();

		expect(Date.parse(String(task?.lastMissedAt))).toBeGreaterThan(
			Date.parse(String(lastMissedAt)),
		);
	}, 240_000);

	it('notifies the team lead once about an overdue task', async () => {
		const early = await reportOverdue();
		await backdate(31);
		const reported = [await reportOverdue(), await reportOverdue()];

		expect(early).toEqual([]);
		expect(reported.flat()).toEqual([
			expect.stringMatching(
				/^Please call back 12125550123: waiting for 3[1-9] minutes\. 101 has it\.$/,
			),
		]);
	}, 240_000);

	it('records how long a caller waited, and opens another task for a new missed call', async () => {
		await calls('100', CUSTOMER);
		await calls(OTHER, TO, { outcome: 'cancelled' });
		await untilTasks(
			{ number: CUSTOMER, status: 'closed', closedBy: '100' },
			{ number: OTHER, status: 'closed' },
			{ number: OTHER, status: 'open', secondsUntilCalledBack: null },
		);
		const [task] = await tasks();
		const waited = Date.parse(String(task?.closedAt)) - Date.parse(String(task?.missedAt));

		expect(task?.secondsUntilCalledBack).toBe(Math.round(waited / 1000));
		expect(waited).toBeGreaterThan(30 * 60_000);
	}, 240_000);

	/** Backdates the first missed call of open tasks. */
	async function backdate(minutes: number): Promise<void> {
		const missedAt = new Date(Date.now() - minutes * 60_000).toISOString();
		await onTable('update', {
			matchType: 'allConditions',
			filters: { conditions: [{ keyName: 'status', condition: 'eq', keyValue: 'open' }] },
			columns: { mappingMode: 'defineBelow', value: { missedAt }, schema: [] },
		});
	}

	/** Reports overdue tasks, as the schedule does. Returns the messages. */
	async function reportOverdue(): Promise<unknown[]> {
		const execution = await runToEnd(n8n, workflow, 'Every 10 Minutes');
		expect(errorOf(execution)).toBeUndefined();
		return jsonOf(execution, 'Your Message').map(({ text }) => text);
	}
});
