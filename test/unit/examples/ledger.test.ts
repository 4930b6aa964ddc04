import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { runCode } from '../../support/exampleCode';

const LEDGER = 'crm/ledger.json';
const ago = (days: number) => DateTime.utc().minus({ days }).toISODate();

/** The last time that it was 3 o'clock. */
const THREE = DateTime.utc().minus({ hours: 3 }).startOf('day').plus({ hours: 3 });
const YESTERDAY = THREE.minus({ days: 1 }).toISODate();
const before = (hours: number) => THREE.minus({ hours }).toISO();
const soonAfter = THREE.plus({ seconds: 1 }).toISO();

const nextDay = (...rows: IDataObject[]) => runCode(LEDGER, 'Next Day', {}, rows)[0]?.day;
const done = { day: YESTERDAY, state: 'done', missing: 0, updatedAt: soonAfter };

describe('the next day to check', () => {
	it.each([
		['yesterday, at first', YESTERDAY, [{}]],
		['none, when yesterday was checked', undefined, [done]],
		['an open one', '2026-01-05', [done, { day: '2026-01-05', state: 'open' }]],
		[
			'the newest of open ones',
			'2026-01-06',
			[...[done, { day: '2026-01-05', state: 'open' }, { day: '2026-01-06', state: 'open' }]],
		],
		['one that was checked before it was over', YESTERDAY, [{ ...done, updatedAt: before(5) }]],
		[
			'one with missing calls, once a night',
			'2026-01-05',
			[...[done, { ...done, day: '2026-01-05', missing: 1, updatedAt: before(1) }]],
		],
		['none with missing calls that was tried this night', undefined, [{ ...done, missing: 1 }]],
		[
			'the one after the last, when n8n was down then',
			THREE.minus({ days: 2 }).toISODate(),
			[{ ...done, day: THREE.minus({ days: 3 }).toISODate() }],
		],
		['yesterday after a long time', YESTERDAY, [{ ...done, day: '2026-01-05' }]],
		[
			'none that is no date, or not yet',
			undefined,
			[...[done, { day: '05.01.2026', state: 'open' }, { day: ago(-2), state: 'open' }]],
		],
	] as Array<[string, string | undefined, IDataObject[]]>)('is %s', (_, day, rows) => {
		expect(nextDay(...rows)).toBe(day);
	});

	it('waits for a run at work, but not for one that was killed', () => {
		const begun = (minutes: number) => ({
			...{ day: YESTERDAY, state: 'working' },
			updatedAt: DateTime.utc().minus({ minutes }).toISO(),
		});
		expect(nextDay(begun(14), { day: '2026-01-05', state: 'open' })).toBeUndefined();
		expect(nextDay(begun(16))).toBe(YESTERDAY);
	});

	it('waits for the next night when its run was killed twice, and holds up no other day', () => {
		const other = { day: '2026-01-05', state: 'open' };
		const again = (updatedAt: string | null) => ({
			...{ day: YESTERDAY, state: 'working again', updatedAt },
		});
		const killed = { ...again(before(2)), state: 'working' };
		expect(runCode(LEDGER, 'Next Day', {}, [killed, other])).toMatchObject([
			{ day: YESTERDAY, state: 'working again' },
		]);
		expect(nextDay(again(DateTime.utc().toISO()), other)).toBeUndefined();
		expect(nextDay(again(before(2)), other)).toBe(YESTERDAY);
		const tonight = DateTime.max(THREE, DateTime.utc().minus({ minutes: 16 })).toISO();
		if (DateTime.utc() > THREE.plus({ minutes: 16 }))
			expect(nextDay(again(tonight), other)).toBe('2026-01-05');
	});

	it('comes with later calls only if someone may still wait for a call back', () => {
		const rows = [done, { day: '2026-01-05', state: 'open' }];
		const [old] = runCode(LEDGER, 'Next Day', {}, rows);
		expect(old?.before).toBe(old?.end);
		const [recent] = runCode(LEDGER, 'Next Day', {}, {});
		expect(String(recent?.before) > String(recent?.end)).toBe(true);
	});
});

describe('the count of a day', () => {
	const call = (callId: string, more: IDataObject = {}) => ({
		...{ callId, customerNumber: '+79160000001', at: '2026-01-05T10:00:00Z' },
		details: { numbers: ['79160000001', '89160000001'] },
		...more,
	});
	const count = (calls: IDataObject[], rows: IDataObject[], neverLog = '', logged = {}) =>
		runCode(
			LEDGER,
			'Count',
			{
				'Next Day': { day: '2026-01-05', end: '2026-01-06T00:00:00Z' },
				Settings: { neverLog },
				'Calls at the PBX': calls,
				'Log Missing Calls': logged,
			},
			rows,
		)[0];

	it('names what is missing, with the words of the CRM, and what is there twice', () => {
		const calls = ['a', 'b', 'c', 'd', 'e'].map((id) => call(id));
		const row = (key: string, state: string, entryId = '1') => ({ key, state, entryId });
		const rows = [row('a', 'done'), row('b', 'done'), row('b', 'done', '2')];
		const more = [row('c', 'done'), row('d', 'ringing')];
		expect(count(calls, [...rows, ...more], '', { error: 'Refused' })).toEqual({
			...{ day: '2026-01-05', calls: 5, written: 3, missing: 2, doubled: 1 },
			problems: [
				...['Refused', 'Missing: +79160000001 (10:00:00)', 'Missing: +79160000001 (10:00:00)'],
				'Twice: +79160000001 (10:00:00)',
			].join('\n'),
		});
	});

	it('names no call of the day after, which was tried again', () => {
		const later = call('b', { at: '2026-01-06T10:00:00Z' });
		const named = ['Call of +79160000001 (5 Jan 2026, 10:00): No', '<b>such owner</b>'].join('\n');
		const logged = { error: `${named}\n${named.replace('5 Jan', '6 Jan')}` };
		expect(count([call('a'), later], [{}], '', logged)).toMatchObject({
			...{ calls: 1, missing: 1, problems: `${named}\nMissing: +79160000001 (10:00:00)` },
		});
	});

	it('leaves out later calls, and numbers that are never logged', () => {
		const later = call('b', { at: '2026-01-06T10:00:00Z' });
		const none = { calls: 0, missing: 0, problems: '' };
		expect(count([{}], [{}])).toMatchObject(none);
		expect(count([later], [{}])).toMatchObject(none);
		expect(count([call('a')], [{}], '8 (916) 000-00-01')).toMatchObject(none);
		expect(count([call('a', { customerNumber: null, details: {} })], [{}])).toMatchObject({
			...{ calls: 1, missing: 1, problems: 'Missing: anonymous (10:00:00)' },
		});
	});
});

describe('past days', () => {
	const past = (months: number) =>
		runCode('crm/backfill.json', 'Past Days', { Settings: { months } }, {});

	it('are those of some months, from yesterday back', () => {
		const days = past(12).map(({ day }) => day);
		expect(days[0]).toBe(ago(1));
		expect([365, 366]).toContain(days.length);
		expect(new Set(days).size).toBe(days.length);
	});

	it.each([0, -1, NaN, 500])('are none for %s months', (months) => {
		expect(() => past(months)).toThrow('Enter 1 to 120 months in Settings.');
	});
});
