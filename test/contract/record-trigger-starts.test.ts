import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	ManualExecutionCancelledError,
	SystemShutdownExecutionCancelledError,
	TimeoutExecutionCancelledError,
} from 'n8n-workflow';

import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/calls';
import { PAUSES } from '../../nodes/VirtualPbx/triggers/callRecord/starts';
import { nodeRuntimes } from '../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import { useClock } from '../support/clock';
import { runNode } from '../support/core';
import type { TestRecordTrigger } from '../support/core';
import { eventually } from '../support/eventually';
import { credentialOf, recordOf as record, recordTriggerOn } from '../support/operate';
import { useScriptedPbx } from '../support/scriptedPbx';

let records: IDataObject[] = [];
const pbx = useScriptedPbx(({ path }) =>
	path.endsWith('/cdrs') ? { body: { data: records, status: 'success' } } : undefined,
);
const clock = useClock();
beforeAll(() => void (WAITS.settleMs = 0));
beforeEach(() => {
	records = [];
	nodeRuntimes.clear();
});

const start = async (parameters: IDataObject = {}) => {
	const trigger = await recordTriggerOn(pbx, parameters);
	await trigger.publish();
	return trigger;
};
const named = ({ items }: { items: INodeExecutionData[] }) => items.map(({ json }) => json.callId);
const executions = (trigger: TestRecordTrigger) => trigger.executions.map(named);
const range = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);
/** A crash: what the process remembers is gone, and n8n's start reads what is stored. */
async function restart(trigger: TestRecordTrigger): Promise<void> {
	nodeRuntimes.clear();
	await trigger.publish('init');
	await trigger.poll();
}

describe('Start the Workflow', () => {
	it('starts one execution per call record, oldest first', async () => {
		const trigger = await start();
		records = [record('b', 1), record('a', 2)];
		await trigger.poll();
		expect(executions(trigger)).toEqual([['a'], ['b']]);
		const keys = trigger.executions.map(({ key = '' }) => key);
		expect(new Set(keys).size).toBe(2);
		expect(keys.every(({ length }) => length === 43)).toBe(true);
	});

	it('starts one execution for all of a check, as many items as allowed', async () => {
		const trigger = await start({ startWorkflow: 'perCheck', options: { maxItems: 4 } });
		expect(await trigger.poll()).toBeNull();
		expect(trigger.executions).toEqual([]);
		records = range(9).map((id) => record(id, 9 - Number(id)));
		await trigger.poll();
		await eventually(() => expect(executions(trigger).flat()).toHaveLength(9));
		expect(executions(trigger).map(({ length }) => length)).toEqual([4, 4, 1]);
		expect(executions(trigger).flat()).toEqual(range(9));
	});

	it('checks as often as chosen', async () => {
		const expressions = async (checkEvery: string) => (await start({ checkEvery })).expressions;
		expect(await expressions('tenSeconds')).toEqual(['*/10 * * * * *']);
		expect(await expressions('minute')).toEqual([expect.stringMatching(/^\d+( \*){5}$/)]);
		expect(await expressions('hour')).toEqual([expect.stringMatching(/^\d+ \d+( \*){4}$/)]);
	});

	it('puts the call into the custom data of its execution', async () => {
		const [type, credential] = ['virtualPbxRecordTrigger', await credentialOf(pbx)] as const;
		const items = [{ callId: 'a', customerNumber: '+12125550100', employee: null }];
		expect(await runNode({ type, credential, items, mode: 'trigger' })).toMatchObject({
			items,
			metadata: { callId: 'a', customerNumber: '+12125550100' },
		});
	});
});

const from = (id: string, customer: string, secondsAgo: number): IDataObject => ({
	...record(id, secondsAgo),
	...{ CALLER_ID_NUMBER: `+1718555010${customer}`, CALLEE_ID_NUMBER: '12125550100' },
});
const forever = () => new Promise<never>(() => undefined);

describe('executions at once', () => {
	it('are five, and one per customer, in order', async () => {
		const trigger = await start({ event: 'newCall' });
		const ends = new Map<unknown, () => void>();
		trigger.ending = async ({ items: [item] }) => {
			await new Promise<void>((resolve) => ends.set(item?.json.callId, resolve));
			return 'success';
		};
		records = [...'00123450'].map((customer, n) => from(`${n}`, customer, 60 - n));
		await trigger.poll();
		const underWay = [[...ends.keys()]];
		for (const id of ['2', '0', '3', '1']) {
			ends.get(id)?.();
			ends.delete(id);
			await trigger.poll();
			underWay.push([...ends.keys()]);
		}
		expect(underWay).toEqual([
			['0', '2', '3', '4', '5'],
			['0', '3', '4', '5', '6'],
			['3', '4', '5', '6', '1'],
			['4', '5', '6', '1'],
			['4', '5', '6', '7'],
		]);
	});

	it('drain a backlog far beyond what waits in memory, once each', async () => {
		const trigger = await start();
		records = range(700).map((id) => record(id, 700 - Number(id)));
		await trigger.poll();
		await eventually(() => expect(trigger.executions).toHaveLength(700), 30_000);
		expect(executions(trigger).flat()).toEqual(range(700));
		expect(trigger.duplicates).toBe(0);
	});
});

describe('an execution that fails', () => {
	const fail = (trigger: TestRecordTrigger, ending: unknown) =>
		void (trigger.ending = () => ending);
	const afterPauses = async (trigger: TestRecordTrigger) => {
		for (const pause of [0, ...PAUSES.retries, 3_600_000]) {
			clock.pass(pause + 1);
			await trigger.poll();
		}
		return trigger.executions.length;
	};

	it('is left as it is by default', async () => {
		const trigger = await start();
		fail(trigger, 'error');
		records = [record('a')];
		expect(await afterPauses(trigger)).toBe(1);
	});

	it.each([
		['error', 3],
		['crashed', 3],
		['success', 1],
		['waiting', 1],
		['canceled', 1],
		[new TimeoutExecutionCancelledError('1'), 3],
		[new ManualExecutionCancelledError('1'), 1],
		[new SystemShutdownExecutionCancelledError('1'), 1],
	])('is started up to three times with Try Again: %s', async (ending, count) => {
		const trigger = await start({ options: { tryAgain: true } });
		fail(trigger, ending);
		records = [record('a')];
		expect(await afterPauses(trigger)).toBe(count);
		expect(new Set(trigger.executions.map(({ key }) => key)).size).toBe(count);
	});

	it('holds the later calls of its customer until it has worked', async () => {
		const trigger = await start({ event: 'newCall', options: { tryAgain: true } });
		let failures = 1;
		trigger.ending = () => (failures-- > 0 ? 'error' : 'success');
		records = [from('a', '1', 2)];
		await trigger.poll();
		records.push(from('b', '1', 1), record('c', 1));
		await trigger.poll();
		expect(executions(trigger).flat()).toEqual(['a', 'c']);
		clock.pass((PAUSES.retries[0] ?? 0) + 1);
		await trigger.poll();
		expect(executions(trigger).flat()).toEqual(['a', 'c', 'a', 'b']);
	});

	it('is tried again under the same key where n8n could not even store it', async () => {
		const trigger = await start();
		fail(trigger, new Error('SQLITE_BUSY: database is locked'));
		records = [record('a')];
		await trigger.poll();
		expect(trigger.executions).toEqual([]);
		fail(trigger, 'success');
		clock.pass(PAUSES.restart + 1);
		await trigger.poll();
		expect(executions(trigger)).toEqual([['a']]);
	});
});

describe('after a crash', () => {
	it('starts what n8n had not stored, and what it had counts as done', async () => {
		const trigger = await start();
		let count = 0;
		trigger.ending = () => ['success', 'lost', forever()][count++ % 3];
		records = range(5).map((id) => record(id, 5 - Number(id)));
		await trigger.poll();
		trigger.ending = () => 'success';
		await restart(trigger);
		expect(executions(trigger).flat().sort()).toEqual(range(5));
		expect(trigger.duplicates).toBeGreaterThan(0);
		expect(await trigger.poll()).toBeNull();
	});

	it('starts open calls again under the key of their stored attempt', async () => {
		const trigger = await start({ options: { tryAgain: true } });
		trigger.ending = () => 'error';
		records = [record('a')];
		await trigger.poll();
		clock.pass((PAUSES.retries[0] ?? 0) + 1);
		trigger.ending = forever;
		await trigger.poll();
		expect(trigger.executions).toHaveLength(2);
		await restart(trigger);
		expect([trigger.executions.length, trigger.duplicates]).toEqual([2, 1]);
	});

	it('drops what it started before, where n8n lost all static data', async () => {
		const trigger = await start();
		records = [record('a', 60)];
		await trigger.poll();
		trigger.database.staticData = {};
		records.push(record('b', 1));
		await restart(trigger);
		expect(executions(trigger).flat()).toEqual(['a', 'b']);
		expect(trigger.duplicates).toBe(1);
	});

	it('starts a call of a batch again only with that batch', async () => {
		const trigger = await start({ startWorkflow: 'perCheck' });
		trigger.ending = () => 'lost';
		records = [record('a', 3), record('b', 2)];
		await trigger.poll();
		trigger.ending = () => 'success';
		records.push(record('c', 1));
		await restart(trigger);
		await trigger.poll();
		expect(executions(trigger)).toEqual([['a', 'b'], ['c']]);
	});

	it('starts a late leg once more, with all legs and under a key of its own', async () => {
		const trigger = await start({ event: 'newCall', options: { includeDetails: true } });
		records = [record('a', 60)];
		trigger.ending = forever;
		await trigger.poll();
		records.push({ ...record('a', 50), CALL_DIRECTION: 'outbound' });
		trigger.ending = () => 'success';
		await restart(trigger);
		await trigger.poll();
		expect(trigger.duplicates).toBe(1);
		const items = trigger.executions.map(({ items: [item] }) => item?.json);
		expect(items).toMatchObject([
			{ callId: 'a' },
			{ callId: 'a', late: true, details: { legCount: 2 } },
		]);
	});

	it('runs calls again in an n8n that ignores keys, but loses none', async () => {
		const trigger = await start();
		trigger.database.keys.add = function () {
			return this;
		};
		records = [record('a', 2), record('b', 1)];
		await trigger.poll();
		await restart(trigger);
		expect(new Set(executions(trigger).flat())).toEqual(new Set(['a', 'b']));
	});
});
