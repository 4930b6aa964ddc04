import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { DateTime } from 'luxon';

import {
	GREGORIAN_OFFSET,
	gregorianToUnixMs,
	LATEST_MS,
	startOfDay,
	toIso,
	unixToGregorian,
	readInstant,
} from '../../../nodes/VirtualPbx/util/time';
import { IS_RELEASE, times } from '../../support/release';

/** Unix seconds of the years from one to before the other. */
const seconds = (fromYear: number, toYear: number) =>
	fc.integer({ min: yearStart(fromYear), max: yearStart(toYear) - 1 });

function yearStart(year: number): number {
	const date = new Date(0);
	date.setUTCFullYear(year, 0, 1);
	return date.getTime() / 1000;
}

describe('Gregorian seconds (§4.3, §8)', () => {
	it('count from the year 0', () => {
		expect(GREGORIAN_OFFSET).toBe(62_167_219_200);
		expect(toIso(gregorianToUnixMs(0))).toBe('0000-01-01T00:00:00Z');
		expect(unixToGregorian(0)).toBe(62_167_219_200);
		// 9,999 years of 365 days, and their leap days from the year 0 on.
		const days = 9999 * 365 + 2500 - 100 + 25;
		expect(unixToGregorian(yearStart(9999))).toBe(days * 86_400);
	});

	it('go both ways without loss', () => {
		fc.assert(
			fc.property(seconds(0, 10_000), (unix) => {
				expect(gregorianToUnixMs(unixToGregorian(unix))).toBe(unix * 1000);
				expect(Date.parse(toIso(unix * 1000))).toBe(unix * 1000);
			}),
		);
	});

	it('writes every point in time as a date does, but for fractions that are none', () => {
		const far = fc.double({ min: -LATEST_MS, max: LATEST_MS, noNaN: true });
		const near = fc.integer({ min: -2 * 86_400_000, max: 2 * 86_400_000 });
		fc.assert(
			fc.property(fc.oneof(far, near), (ms) => {
				expect(toIso(ms)).toBe(new Date(ms).toISOString().replace('.000Z', 'Z'));
			}),
		);
		expect(toIso(LATEST_MS)).toBe('+275760-09-13T00:00:00Z');
		expect(() => toIso(LATEST_MS + 1)).toThrow(RangeError);
		expect(() => toIso(Number.NaN)).toThrow(RangeError);
		expect(() => toIso(2 * LATEST_MS)).toThrow(RangeError);
	});
});

/** Days that begin at 01:00, or on which the clocks show 00:00 twice, from the time zone database. */
describe('a day in a time zone begins at its first moment', () => {
	afterEach(() => jest.useRealTimers());

	it.each([
		['Africa/Cairo', '2026-04-24T10', '04-21T22:00 04-22T22:00 04-23T22:00'],
		['Africa/Cairo', '2026-04-25T10', '04-22T22:00 04-23T22:00 04-24T21:00'],
		['Asia/Beirut', '2026-03-29T12', '03-26T22:00 03-27T22:00 03-28T22:00'],
		['America/Santiago', '2026-09-06T12', '09-04T04:00 09-05T04:00 09-06T04:00'],
		['America/Havana', '2026-03-08T12', '03-06T05:00 03-07T05:00 03-08T05:00'],
		['America/Havana', '2026-11-02T12', '10-31T04:00 11-01T04:00 11-02T05:00'],
		['Asia/Kathmandu', '2026-11-02T12', '10-30T18:15 10-31T18:15 11-01T18:15'],
	])('in %s at %s: %s', (zone, now, days) => {
		jest.useFakeTimers({ now: new Date(`${now}:00Z`) });
		const found = [-2, -1, 0].map((day) => new Date(startOfDay(zone, day)).toISOString());
		expect(found.map((time) => time.slice(5, 16)).join(' ')).toBe(days);
	});

	it('in every time zone, on every day of a year', () => {
		jest.useFakeTimers();
		for (const zone of Intl.supportedValuesOf('timeZone')) {
			const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
			const dayOf = (ms: number) => format.format(ms);
			for (let day = 0; day < 365; day += times(9, 3) * zone.length) {
				const now = Date.UTC(2026, 0, 1, 12) + day * 86_400_000;
				jest.setSystemTime(now);
				const start = startOfDay(zone, -1);
				const today = startOfDay(zone, 0);
				const [own, before] = [dayOf(today), dayOf(today - 1)];
				expect({ zone, own, before }).toEqual({ zone, own: dayOf(now), before: dayOf(start) });
				expect(dayOf(start - 1)).not.toBe(before);
			}
		}
	});
});

/** In Moscow, 5 November 2026 at 22:00, and the 25th at midnight. */
const TEN = '2026-11-05T19:00:00Z';
const THE_25TH = '2026-11-24T21:00:00Z';
const lines = (text: string) => text.trim().split(/ *\| *|\n\t*/);
const READ: Array<[text: unknown, instant: string]> = [
	...lines(
		`2026-11-05T22:00 | 2026-11-05 22:00:00 | 2026/11/5 22:00 | 2026.11.05 22:00:00.000
		2026-11-05 10:00 PM | 2026-11-05 10:00PM | 2026-11-05, 10 p.m. | 2026-11-05T10:00:00 pm
		2026-11-05\u202f10:00\u202fPM | Nov 5, 2026 10:00 PM | November 5th, 2026 at 10:00 PM
		5 November 2026 22:00 | 05-Nov-2026 22:00 | Thursday, 5 Nov 2026 22:00 | 20261105T2200
		20261105220000 | 20261105220000000 | 20261105T220000 | 20261105T190000Z
		Thu, 05 Nov 2026 19:00:00 GMT | Thu, 05 Nov 2026 22:00:00 +0300 | 2026-11-05T19:00Z
		Thu Nov 05 2026 14:00:00 GMT-0500 (Eastern Standard Time) | 2026-11-05 22:00:00+03
		2026-11-05T19:00:00.000Z | 2026-11-05 19:00 UTC | 2026-11-05T14:00[America/New_York]
		2026-11-05T22:00:00+03:00[Europe/Moscow] | 2026-11-05T14:00:00.000-05:00`,
	).map((text): [string, string] => [text, TEN]),
	...[
		...lines(
			`2026-11-25 | 25.11.2026 | 25/11/2026 | 11/25/2026 | 25-11-2026 | 20261125 | 2026/11/25
			25 Nov 2026 | nov 25, 2026 | 2026-11-25T00:00 | 25.11.2026 00:00 | 11/25/2026 12:00 AM
			11/24/2026, 9:00:00 PM GMT`,
		),
		20261125,
	].map((text): [unknown, string] => [text, THE_25TH]),
	...['11.11.2026', '11/11/2026'].map((text): [string, string] => [text, '2026-11-10T21:00:00Z']),
	['2026-11', '2026-10-31T21:00:00Z'],
	[' 2026-11-05T22 ', TEN],
	['2026-11-05T24:00', '2026-11-05T21:00:00Z'],
	[0, '1970-01-01T00:00:00Z'],
	['1764324000.5', '2025-11-28T10:00:00.500Z'],
];

/** Texts that aren't times, and those that could be two. */
const REFUSED: unknown[] = [
	...['', null, undefined, {}, [], true, [1], ['2026-11-20'], new Date(NaN)],
	...[NaN, Infinity, 1e300, -1, 5, 20_261_345, 202_611, 12_345.5, 2026, 9999, 20_261_105.5],
	...lines(
		`2026 | 2026112 | 20260230 | 2026-13-40 | 2026-02-30 | 2026-11-00 | -7 | 11/5 | 10:00
		2026-02-29T10:00:00Z | 31.11.2026 | 2026-25-11 | 05112026 | 05.11.2026 | 5/11/2026
		11/05/2026 | 05-11-2026 10:00 | 05.11.26 | 25.11.26 | 2026-11-05 22:00 PM | 2026-11-05 9
		2026-11-05 0:30 AM | 2026-11-05 25:00 | 2026-11-05 10:60 | 2026-11-05 10:00 EST
		2026-11-05T10:00[Mars/Phobos] | Fri, 5 Nov 2026 | 202611051000 | 20261105256000
		20261305100000 | 176432400000000000 | soon | yesterday | 5 Smarch 2026
		2026-11-05 and later | 2026-11-05T | P1D | 1e9 | 0x10`,
	),
	...[' 2026/11/31 10:00', '1'.repeat(400), DateTime.invalid('no')],
	DateTime.fromISO('2026-11-05').diffNow(),
];

describe('a time that someone enters', () => {
	it('is read from Unix seconds, milliseconds, microseconds and Gregorian seconds, as numbers and texts', () => {
		// Milliseconds of earlier years can also be a date in twelve digits.
		fc.assert(
			fc.property(seconds(2002, 2286), (unix) => {
				const forms = [unix, unix * 1e3, unix * 1e6, unixToGregorian(unix)];
				for (const form of forms.flatMap((number) => [number, String(number), ` ${number} `])) {
					expect(readInstant(form, 'Europe/Moscow')).toBe(unix * 1000);
				}
			}),
		);
	});

	it('is read from ISO text, with or without an offset, from year 1 to 9999', () => {
		const zones = fc.constantFrom('UTC', 'Europe/Moscow', 'America/New_York', 'Asia/Kathmandu');
		fc.assert(
			fc.property(seconds(2, 9999), zones, (unix, zone) => {
				const time = DateTime.fromSeconds(unix, { zone });
				expect(readInstant(toIso(unix * 1000), zone)).toBe(unix * 1000);
				const local = DateTime.fromISO(time.toISO({ includeOffset: false }) ?? '', { zone });
				const first = Math.min(...local.getPossibleOffsets().map((one) => one.toMillis()));
				expect(readInstant(local.toISO({ includeOffset: false }), zone)).toBe(first);
			}),
		);
	});

	it.each(READ)('%p is %s in Moscow', (text, instant) => {
		expect(readInstant(text, 'Europe/Moscow')).toBe(Date.parse(instant));
	});

	it.each(REFUSED.map((value) => [value]))('is not read from %p', (value) => {
		expect(readInstant(value, 'UTC')).toBeUndefined();
	});

	it('is the first of two equal ones, and later if the clocks skip it', () => {
		const read = (text: string, zone: string) => toIso(readInstant(text, zone) ?? NaN);
		expect(read('2026-11-01 00:30', 'America/Havana')).toBe('2026-11-01T04:30:00Z');
		expect(read('2026-10-25 02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00Z');
		expect(read('2026-03-29 02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00Z');
		expect(read('2026-04-24', 'Africa/Cairo')).toBe('2026-04-23T22:00:00Z');
	});

	it.each(['Africa/Cairo', ...(IS_RELEASE ? ['America/New_York', 'Asia/Tokyo'] : [])])(
		'is the same on a server in %s',
		(TZ) => {
			const texts = READ.map(([text]) => text);
			const script = `
				const { readInstant } = require('./nodes/VirtualPbx/util/time.ts');
				if (Intl.DateTimeFormat().resolvedOptions().timeZone !== '${TZ}') throw new Error('TZ');
				console.log(JSON.stringify(${JSON.stringify(texts)}.map((text) => readInstant(text, 'Europe/Moscow'))));`;
			const options = { env: { ...process.env, TZ }, encoding: 'utf8' } as const;
			const output = execFileSync(process.execPath, ['-r', 'tsx/cjs', '-e', script], options);
			expect(JSON.parse(output)).toEqual(READ.map(([, instant]) => Date.parse(instant)));
		},
		60_000,
	);

	it('is read from date objects', () => {
		const date = new Date('2026-11-20T12:00:00Z');
		expect(readInstant(date, 'UTC')).toBe(date.getTime());
		expect(readInstant(DateTime.fromJSDate(date), 'UTC')).toBe(date.getTime());
	});
});
