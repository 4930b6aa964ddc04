import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { toGregorian } from '../../sandbox/model/time';
import type { N8nProcess } from '../../tools/n8n';
import { eventually } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { CrmKit, ZONE } from '../support/e2e/crmKit';
import type { DataTable } from '../support/e2e/dataTable';
import { startAmong } from '../support/e2e/own';
import { times } from '../support/release';
import { Hubspot } from '../support/services/hubspot';
import { REFUSAL } from '../support/services/service';

/** `TEST_CALLS` overrides how many calls, for a run of hours. */
const CALLS = Number(process.env.TEST_CALLS ?? times(18, 1000));
const DAYS = times(3, 20);
const KILLS = times(1, 5);
/** How long all of it may take; much is left for a busy machine. */
const PATIENCE_MS = times(400_000, 4 * 3_600_000);
/** The caller whose calls the CRM refuses until it recovers. */
const REFUSED = '79169999999';
const REFUSALS = times(2, 20);
/** Refused: each call of so many, spread over the days. */
const REFUSED_EVERY = Math.floor(CALLS / REFUSALS) + 1;

const hubspot = new Hubspot();
const today = DateTime.now().setZone(ZONE).startOf('day');
const dayOf = (index: number) => today.minus({ days: 1 + (index % DAYS) });

let main: N8nProcess;
let pbx: TestPbx;
let kit: CrmKit;
let days: DataTable;
let memory: DataTable;

/** Whether a call of yesterday was missed, by a caller of its own. */
const isMissed = (index: number) =>
	index % DAYS === 0 && index % (2 * DAYS) !== 0 && index % REFUSED_EVERY !== 0;
const MISSED = Array.from({ length: CALLS }, (_, index) => index).filter(isMissed).length;

/** The records of a call: missed, or answered and of one of a few hundred callers. */
function recordsOf(index: number): IDataObject[] {
	const at = dayOf(index).plus({ seconds: 3600 + Math.floor(index / DAYS) * 60 });
	const caller = String(
		isMissed(index) ? 79170000000 + index : 79160000000 + (index % times(9, 900)),
	);
	const from = index % REFUSED_EVERY === 0 ? REFUSED : caller;
	const outcome = isMissed(index)
		? { BILLING_SECONDS: '0', HANGUP_CAUSE: 'NO_ANSWER' }
		: { BILLING_SECONDS: '60', HANGUP_CAUSE: 'NORMAL_CLEARING' };
	const leg = (side: string, callee: string) => ({
		...{ CALL_DIRECTION: side, BRIDGE_ID: `${index}@192.0.2.1`, CALLER_ID_NUMBER: from },
		...{ CALLEE_ID_NUMBER: callee, ...outcome },
		TIMESTAMP: String(toGregorian(at.toMillis())),
	});
	return [leg('inbound', '74950000100'), leg('outbound', '100')];
}

/** Waits until all days are done, and returns them. */
const done = async () =>
	await eventually(async () => {
		const rows = await days.rows();
		expect(rows.filter(({ state }) => state !== 'done')).toEqual([]);
		return rows;
	}, PATIENCE_MS);

/** Adds a figure of all days. */
const sum = (rows: IDataObject[], figure: string) =>
	rows.reduce((total, row) => total + Number(row[figure]), 0);

/** How often each call is in the CRM. */
const entries = () => {
	const counts = new Map<string, number>();
	for (const { callId } of hubspot.calls()) counts.set(callId, (counts.get(callId) ?? 0) + 1);
	return counts;
};

beforeAll(async () => {
	const bed = await startAmong([hubspot], { country: 'RU' });
	({ pbx, main } = bed);
	kit = await CrmKit.setUp(bed.n8n, hubspot, bed.credential);
	days = await kit.table('Days');
	memory = await kit.table('Memory');
	for (let index = 0; index < CALLS; index += 1000) {
		const some = Array.from({ length: Math.min(1000, CALLS - index) }, (_, one) => index + one);
		await pbx.client.addRecords(some.flatMap(recordsOf));
	}
	await days.remove('state', 'open');
	await days.remove('day', today.toISODate() ?? '');
	const open = Array.from({ length: DAYS }, (_, index) => dayOf(index).toISODate());
	await days.insert(open.map((day) => ({ day, state: 'open' })));
}, PATIENCE_MS);

it(
	'bring past calls in, each once, though n8n is killed and the CRM refuses',
	async () => {
		hubspot.refuse(`+${REFUSED}`);
		await kit.publish('log-calls');
		await kit.publish('ledger');
		for (let kill = 1; kill <= KILLS; kill += 1) {
			const enough = (CALLS * kill) / (KILLS + 2);
			await eventually(
				() => expect(hubspot.records.calls.length).toBeGreaterThan(enough),
				PATIENCE_MS,
			);
			hubspot.fail(429, { times: 2, headers: { 'retry-after': '1' } });
			await sleep(randomInt(300));
			hubspot.fail(500, { times: 1 });
			await main.restart('kill');
			// A user who doesn't wait 15 minutes for the day that was at work.
			await days.update('state', 'working', { state: 'open' });
		}
		const rows = await done();

		expect(rows).toHaveLength(DAYS);
		expect(sum(rows, 'calls')).toBe(CALLS);
		expect([sum(rows, 'missing'), sum(rows, 'doubled')]).toEqual([REFUSALS, 0]);
		const words = rows.map(({ problems }) => String(problems).split(REFUSAL).length - 1);
		expect(words).toEqual(rows.map(({ missing }) => missing));
		expect(entries().size).toBe(CALLS - REFUSALS);
		expect([...entries().values()].every((count) => count === 1)).toBe(true);
		expect(new Set(hubspot.customers()).size).toBe(hubspot.customers().length);
		const called = hubspot.tasks().map(({ customer }) => customer);
		expect([called.length, new Set(called).size]).toEqual([MISSED, MISSED]);
	},
	PATIENCE_MS,
);

it(
	'find each gap, and add what is missing once the CRM takes it',
	async () => {
		const rows = await memory.rows();
		const calls = rows.filter(({ kind }) => kind === 'call');
		const step = Math.ceil(calls.length / times(2, 20));
		const gaps = calls.filter((_, index) => index % step === 0);
		const doubled = calls.filter((_, index) => index % step === 1);
		for (const { key } of gaps) await memory.remove('key', String(key));
		await memory.insert(
			doubled.map(({ key }) => ({ kind: 'call', key: String(key), entryId: '0', state: 'done' })),
		);
		const gone = hubspot.records.calls.splice(0, 1)[0];
		hubspot.recover();
		await days.update('state', 'done', { state: 'open' });
		const after = await done();

		expect([sum(after, 'missing'), sum(after, 'doubled')]).toEqual([0, doubled.length]);
		const twice = after.flatMap(({ problems }) => String(problems).match(/^Twice: /gm) ?? []);
		expect(twice).toHaveLength(doubled.length);
		// What was deleted stays deleted, unless the memory has lost it, too.
		const isGap = gaps.some(({ key }) => key === gone?.properties.virtual_pbx_call_id);
		expect(entries().size).toBe(isGap ? CALLS : CALLS - 1);
		expect([...entries().values()].every((count) => count === 1)).toBe(true);
	},
	PATIENCE_MS,
);
