import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { nodeRuntimes } from '../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/candidates';
import { loaded } from '../../nodes/VirtualPbx/triggers/runtime/publishing';
import { useClock } from '../support/clock';
import { makePoller } from '../support/core';
import type { TestPoller } from '../support/core';
import { credentialOf, idsOf, makeRecordPoller, recordOf as record } from '../support/operate';
import { times } from '../support/release';
import { useScriptedPbx } from '../support/scriptedPbx';

let records: IDataObject[] = [];
let delayMs = 0;

const pbx = useScriptedPbx(({ path }) =>
	path.endsWith('/cdrs') ? { delayMs, body: { data: records, status: 'success' } } : undefined,
);
const clock = useClock();
beforeAll(() => {
	WAITS.settleMs = 200;
	loaded.at = 0;
});
beforeEach(() => {
	records = [];
	delayMs = 0;
	nodeRuntimes.clear();
});

const SINCE = { firstRun: 'since', since: '={{ Date.now() - 3000000 }}' };

const start = async (parameters: IDataObject = {}) =>
	await makeRecordPoller(pbx, parameters, 'Old Name');
const given = async (poller: TestPoller) => idsOf(await poller.poll());
/** A crash: what the process remembers is gone, and n8n's start reads what is stored. */
async function restart(...[first, ...together]: TestPoller[]): Promise<void> {
	nodeRuntimes.clear();
	await first?.publish('init', { together });
}

describe('the cursor belongs to the node, not to its name', () => {
	it('goes on after the node was renamed: nothing twice, nothing lost', async () => {
		const poller = await start(SINCE);
		records = [record('a', 60)];
		expect(await given(poller)).toEqual(['a']);
		const renamed = poller.other({ name: 'New Name' });
		records.push(record('b', 1));
		expect(idsOf(await renamed.publish('update'))).toEqual(['b']);
		expect(await renamed.poll()).toBeNull();
	});

	it('keeps calls that were not complete when the node was renamed', async () => {
		const options = { includeDetails: true };
		const poller = await start({ event: 'newCall', options });
		records = [record('before', 60)];
		await poller.publish();
		records.push({ ...record('ringing'), CALL_DIRECTION: 'outbound' });
		expect(await poller.poll()).toBeNull();
		const renamed = poller.other({ name: 'New Name' });
		expect(await renamed.publish('update')).toBeNull();
		records.push(record('ringing'));
		expect(await renamed.poll()).toMatchObject([{ callId: 'ringing', details: { legCount: 2 } }]);
	});

	it('is not inherited by a new node under the old name', async () => {
		const poller = await start(SINCE);
		records = [record('a', 60)];
		await poller.publish();
		const fresh = poller.other({ id: randomUUID() });
		expect(await given(fresh)).toEqual(['a']);
		expect(await poller.other({ name: 'New Name' }).publish('update')).toBeNull();
	});

	it('is new in a copy of the workflow', async () => {
		const poller = await start(SINCE);
		records = [record('a', 60)];
		await poller.publish();
		const copy = poller.other({});
		copy.database.workflow = { id: 'a-copy' };
		expect(await given(copy)).toEqual(['a']);
	});

	it('does not pile up for nodes that are gone', async () => {
		let poller = await start();
		for (let month = 0; month < 5; month++) {
			clock.pass(40 * 86_400_000);
			poller = poller.other({ id: randomUUID() });
			await poller.publish();
		}
		const { virtualPbxRecords } = poller.database.staticData?.global as IDataObject;
		expect(Object.keys(virtualPbxRecords as object)).toEqual([poller.node.id]);
	});

	it('leaves what others keep in the static data of the workflow', async () => {
		const poller = await start();
		poller.database.staticData = { global: { mine: 1 }, 'node:Old Name': { theirs: 2 } };
		await poller.publish();
		expect(poller.database.staticData).toMatchObject({
			global: { mine: 1 },
			'node:Old Name': { theirs: 2 },
		});
	});
});

describe('the cursor belongs to the account that its credential logs in to', () => {
	it.each<[string, IDataObject, IDataObject, string[]]>([
		['goes on after a new password', { password: 'another' }, {}, ['b']],
		['begins anew, as Start With says, with another login', { login: 'other' }, {}, []],
		['begins anew, as Start With says, with another realm', { realm: 'other.example' }, {}, []],
		[
			'goes on with another login in a named account',
			{ login: 'other' },
			{ accountId: 'a1' },
			['b'],
		],
	])('%s', async (_, edit, options, expected) => {
		const credential = await credentialOf(pbx);
		const type = 'virtualPbxRecordTrigger';
		const parameters = { event: 'newCallRecord', options } as never;
		const poller = await makePoller({ type, credential, parameters });
		records = [record('a', 60)];
		expect(await poller.poll()).toBeNull();
		records.push(record('b', 1));
		credential.write({ ...(edit as { login: string }), authToken: '' });
		expect(await given(poller)).toEqual(expected);
		records.push(record('c', -1));
		expect(await given(poller)).toEqual(['c']);
	});
});

describe('record triggers whose copies of the static data are not the newest', () => {
	const OPS = ['record', 'pollA', 'pollB'] as const;

	/** Takes steps with two triggers of one workflow, and polls both at the end; what each of them has given. */
	async function live(steps: readonly string[]): Promise<string[][]> {
		records = [];
		nodeRuntimes.clear();
		const a = await start();
		const b = a.other({ id: randomUUID(), name: 'B' });
		const foreign = a.other({ id: randomUUID(), name: 'Foreign' });
		await a.publish('activate', { together: [b] });
		await foreign.publish();
		const told: string[][] = [[], []];
		const note = (index: number, items: IDataObject[] | null) =>
			told[index]?.push(...idsOf(items).map(String));
		let count = 0;
		const ways: Record<string, () => Promise<unknown> | unknown> = {
			record: () => records.push(record(`${count++}`)),
			pollA: async () => note(0, await a.poll()),
			pollB: async () => note(1, await b.poll()),
			publishA: async () => note(0, await a.publish('update')),
			publishB: async () => note(1, await b.publish('update')),
			publishBoth: async () => {
				note(0, await a.publish('update'));
				note(1, await b.publish('update'));
			},
			foreignSave: () => foreign.save(),
			pollAndPublishA: async () => {
				for (const way of ['pollA', 'pollA', 'publishA']) await ways[way]?.();
			},
			restart: async () => await restart(a, b),
		};
		for (const step of steps) await ways[step]?.();
		note(0, await a.poll());
		note(1, await b.poll());
		const all = records.map(({ BRIDGE_ID }) => String(BRIDGE_ID));
		return [all, ...told.map((ids) => ids.sort((one, other) => Number(one) - Number(other)))];
	}

	it.each([
		[
			'two of one workflow, over restarts',
			[...OPS, 'publishA', 'publishB', 'publishBoth', 'restart'],
		],
		[
			'beside another trigger of the workflow, as long as n8n runs',
			[...OPS, 'pollAndPublishA', 'foreignSave'],
		],
	])(
		'give each record once: %s',
		async (_, ops) => {
			const steps = fc.array(fc.constantFrom('record', 'pollA', 'pollB', ...ops), {
				maxLength: 20,
			});
			await fc.assert(
				fc.asyncProperty(steps, async (way) => {
					const [all, byA, byB] = await live(way);
					expect([byA, byB]).toEqual([all, all]);
				}),
				{ numRuns: times(25, 100) },
			);
		},
		120_000,
	);

	it('do not lose what n8n drops because the trigger was published anew during a poll', async () => {
		const poller = await start();
		await poller.publish();
		records = [record('a')];
		delayMs = 300;
		const old = poller.poll();
		const published = await poller.publish('update');
		delayMs = 0;
		expect([await old, idsOf(published)]).toEqual([null, ['a']]);
		expect(await poller.poll()).toBeNull();
	});
});

describe("under n8n's durable scheduler", () => {
	it('gives each record once, though polls that are due together begin with the same static data', async () => {
		const poller = await start();
		await poller.publish();
		const told: unknown[] = [];
		for (let round = 0; round < 3; round++) {
			records.push(record(`${round}`));
			const stored = structuredClone(poller.database.staticData);
			told.push(...idsOf(await poller.pollDurably()));
			Object.assign(poller.database, { staticData: stored });
			told.push(...idsOf(await poller.pollDurably()));
		}
		expect(told).toEqual(['0', '1', '2']);
	});

	it('takes no record of before, though n8n stores no durable cursor of the first poll', async () => {
		const poller = await start();
		poller.cursor = {};
		records = [record('before')];
		await poller.publish();
		expect(poller.cursor).toEqual({});
		records.push(record('after'));
		expect(idsOf(await poller.pollDurably())).toEqual(['after']);
		expect(poller.cursor).toHaveProperty('until');
	});

	it('believes the durable cursor alone: what n8n did not store comes again, but not at once', async () => {
		const poller = await start();
		poller.cursor = {};
		await poller.publish();
		await poller.pollDurably();
		records = [record('a')];
		const stored = structuredClone(poller.cursor);
		expect(idsOf(await poller.pollDurably())).toEqual(['a']);
		poller.cursor = structuredClone(stored);
		expect(await poller.pollDurably()).toBeNull();
		expect(poller.cursor).toEqual(stored);
		clock.pass(20_000);
		expect(idsOf(await poller.pollDurably())).toEqual(['a']);
		expect(await poller.pollDurably()).toBeNull();
	});

	it('goes on from the workflow when durable cursors are switched on, and after a renaming', async () => {
		const poller = await start();
		await poller.publish();
		records = [record('a')];
		expect(await given(poller)).toEqual(['a']);
		poller.cursor = {};
		nodeRuntimes.clear();
		expect(await poller.pollDurably()).toBeNull();
		const renamed = poller.other({ name: 'New Name' });
		renamed.cursor = structuredClone(poller.cursor);
		records.push(record('b'));
		expect(idsOf(await renamed.pollDurably())).toEqual(['b']);
	});
});
