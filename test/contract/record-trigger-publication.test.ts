import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/calls';
import { nodeRuntimes } from '../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import type { TestRecordTrigger } from '../support/core';
import { eventually } from '../support/eventually';
import { idsOf, recordOf as record, recordTriggerOn } from '../support/operate';
import { useScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer } from '../support/scriptedPbx';

let records: IDataObject[] = [];
let login: ScriptedAnswer | undefined;
let cdrs: ScriptedAnswer | undefined;

const pbx = useScriptedPbx(({ path }) => {
	if (path.endsWith('/user_auth')) return login;
	return cdrs ?? { body: { data: records, status: 'success' } };
});
beforeAll(() => void (WAITS.settleMs = 0));
beforeEach(() => {
	records = [];
	login = cdrs = undefined;
	nodeRuntimes.clear();
});

const make = async (parameters: IDataObject = {}) => await recordTriggerOn(pbx, parameters);
const polled = async (trigger: TestRecordTrigger) => idsOf(await trigger.poll());
const DOWN = { status: 503, headers: { 'retry-after': '0' }, body: { message: 'closed' } };

describe("a record trigger at n8n's start", () => {
	it.each(['init', 'leadershipChange'] as const)(
		'asks nobody, and goes on with the next check: %s',
		async (mode) => {
			const trigger = await make();
			await trigger.publish();
			nodeRuntimes.clear();
			pbx.requests.length = 0;
			records = [record('a')];
			await trigger.publish(mode);
			expect(pbx.requests).toEqual([]);
			expect(await polled(trigger)).toEqual(['a']);
		},
	);

	it.each<[IDataObject, string]>([
		[{ event: '={{ $json.nothing.at.all }}' }, "'Event'"],
		[{ options: { lookBackMinutes: 0 } }, "'Look Back (Minutes)'"],
	])('throws nothing, and the next check reports %j once', async (parameters, words) => {
		const trigger = await make(parameters);
		await trigger.publish('init');
		for (let check = 0; check < 3; check++) expect(await trigger.poll()).toBeNull();
		const messages = trigger.failures.map(({ message }) => message);
		expect(messages).toEqual([expect.stringContaining(words)]);
	});

	it('counts as new what ended within the look-back time, if n8n has lost the progress', async () => {
		const trigger = await make({ options: { lookBackMinutes: 10 } });
		records = [record('long ago', 1200), record('recently', 300)];
		await trigger.publish('init');
		expect(await polled(trigger)).toEqual(['recently']);
	});
});

describe('a record trigger that a person publishes', () => {
	it('tries a wrong password once in five attempts, and says what to do in one message', async () => {
		login = { status: 401, body: { message: 'invalid credentials' } };
		const trigger = await make();
		await expect(trigger.publish('activate', { attempts: 5 })).rejects.toThrow(
			/login, password.*realm/i,
		);
		expect(pbx.requests).toHaveLength(1);
	});

	it('fails on a PBX that is down only if it has never read it', async () => {
		cdrs = DOWN;
		const trigger = await make();
		await expect(trigger.publish()).rejects.toThrow(/isn't available/);
		cdrs = undefined;
		await trigger.publish('update');
		cdrs = DOWN;
		records = [record('a')];
		expect(await trigger.publish('update')).toBeNull();
		cdrs = undefined;
		expect(await polled(trigger)).toEqual(['a']);
	});
});

it.each<[string, ScriptedAnswer]>([
	['a PBX that is down', DOWN],
	['no list', { body: { data: null } }],
	['an error instead of a list', { body: { status: 'error', message: 'db down', data: [] } }],
])('a check that fails is reported once until it works again: %s', async (_, answer) => {
	const trigger = await make();
	await trigger.publish();
	for (const id of ['a', 'b']) {
		cdrs = answer;
		records.push(record(id));
		expect([await trigger.poll(), await trigger.poll()]).toEqual([null, null]);
		cdrs = undefined;
		expect(await polled(trigger)).toEqual([id]);
	}
	expect(trigger.failures).toHaveLength(2);
});

describe('progress belongs to the node', () => {
	it('also after it was renamed, but not to a new node under the old name', async () => {
		const trigger = await make();
		await trigger.publish();
		records = [record('a', 60)];
		await trigger.poll();
		await trigger.unpublish();
		records.push(record('b', 1));
		const renamed = trigger.other({ name: 'Renamed' });
		expect(idsOf(await renamed.publish('update'))).toEqual(['b']);
		const fresh = renamed.other({ id: randomUUID(), name: trigger.node.name });
		expect(await fresh.publish('update')).toBeNull();
		expect(renamed.duplicates + fresh.duplicates).toBe(0);
	});

	it('not to a copy of the workflow, which starts calls under keys of its own', async () => {
		const since = '={{ Date.now() - 3000000 }}';
		const trigger = await make({ firstRun: 'since', since });
		records = [record('a', 60)];
		expect(idsOf(await trigger.publish())).toEqual(['a']);
		const copy = trigger.other({});
		copy.database.workflow = { id: 'a-copy' };
		expect(idsOf(await copy.publish())).toEqual(['a']);
	});

	it('also beside another trigger of the workflow that saves an older copy of the static data', async () => {
		const a = await make();
		await a.publish();
		const b = a.other({ id: randomUUID(), name: 'B' });
		await b.publish();
		records = [record('a', 5)];
		expect([await polled(b), await polled(a)]).toEqual([['a'], ['a']]);
		nodeRuntimes.clear();
		records.push(record('b', 1));
		await a.publish('init', { together: [b] });
		expect([await polled(b), await polled(a)]).toEqual([['b'], ['b']]);
	});

	it('goes on through a publication while executions run, without starting them again', async () => {
		const trigger = await make();
		await trigger.publish();
		let end: (status: string) => void = () => undefined;
		trigger.ending = async () => await new Promise((resolve) => (end = resolve));
		records = [record('a')];
		await trigger.poll();
		await trigger.publish('update');
		expect([trigger.executions.length, trigger.duplicates]).toEqual([1, 0]);
		end('success');
		records.push(record('b'));
		await trigger.poll();
		await eventually(() => expect(trigger.executions).toHaveLength(2));
	});
});
