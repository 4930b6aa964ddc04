import fc from 'fast-check';
import { DateTime } from 'luxon';

import {
	GREGORIAN_OFFSET,
	gregorianToUnixMs,
	readInstant,
	LATEST_MS,
	toIso,
	unixToGregorian,
} from '../../../nodes/VirtualPbx/util/time';

/** Unix seconds of the years from one to before the other. */
const seconds = (fromYear: number, toYear: number) =>
	fc.integer({ min: yearStart(fromYear), max: yearStart(toYear) - 1 });

function yearStart(year: number): number {
	const date = new Date(0);
	date.setUTCFullYear(year, 0, 1);
	return date.getTime() / 1000;
}

/** Days from 0000-01-01, counted by the calendar's rules and nothing else. */
function daysSinceYearZero(year: number, month: number, day: number): number {
	const isLeap = (y: number) => (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
	let days = day - 1;
	for (let y = 0; y < year; y++) days += isLeap(y) ? 366 : 365;
	const lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
	for (let m = 0; m < month - 1; m++) days += lengths[m] ?? 0;
	return days;
}

describe('Gregorian seconds (§4.3, §8)', () => {
	it('count from the year 0', () => {
		expect(GREGORIAN_OFFSET).toBe(62_167_219_200);
		expect(toIso(gregorianToUnixMs(0))).toBe('0000-01-01T00:00:00Z');
		expect(unixToGregorian(0)).toBe(62_167_219_200);
		expect(unixToGregorian(yearStart(9999))).toBe(daysSinceYearZero(9999, 1, 1) * 86_400);
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

describe('a point in time from a parameter', () => {
	it('is read from Unix seconds, milliseconds, microseconds and Gregorian seconds, as numbers and texts', () => {
		fc.assert(
			fc.property(seconds(1975, 2900), (unix) => {
				const forms = [unix, unix * 1e3, unix * 1e6, unixToGregorian(unix)];
				for (const form of forms.flatMap((number) => [number, String(number), ` ${number} `])) {
					expect(readInstant(form, 'Europe/Moscow')).toBe(unix * 1000);
				}
			}),
		);
	});

	it('is read from ISO text, with or without an offset, from year 0 to 9999', () => {
		const zones = fc.constantFrom('UTC', 'Europe/Moscow', 'America/New_York', 'Asia/Kathmandu');
		fc.assert(
			fc.property(seconds(0, 9999), zones, (unix, zone) => {
				const time = DateTime.fromSeconds(unix, { zone });
				expect(readInstant(toIso(unix * 1000), zone)).toBe(unix * 1000);
				const local = DateTime.fromISO(time.toISO({ includeOffset: false }) ?? '', { zone });
				expect(readInstant(local.toISO({ includeOffset: false }), zone)).toBe(local.toMillis());
			}),
		);
	});

	it('is read from eight digits that are a date, in the given zone', () => {
		for (const date of [20261120, '20261120', ' 20261120 ']) {
			expect(readInstant(date, 'UTC')).toBe(Date.parse('2026-11-20T00:00:00Z'));
			expect(readInstant(date, 'Europe/Moscow')).toBe(Date.parse('2026-11-20T00:00:00+03:00'));
		}
	});

	it('is read from compact ISO text, and a month as its first day', () => {
		expect(readInstant('20261120T101500Z', 'UTC')).toBe(Date.parse('2026-11-20T10:15:00Z'));
		expect(readInstant('2026-11', 'UTC')).toBe(Date.parse('2026-11-01T00:00:00Z'));
	});

	it('is read from date objects', () => {
		const date = new Date('2026-11-20T12:00:00Z');
		expect(readInstant(date, 'UTC')).toBe(date.getTime());
		expect(readInstant(DateTime.fromJSDate(date), 'UTC')).toBe(date.getTime());
	});

	it.each([
		...['', null, undefined, {}, [], true, [1], ['2026-11-20'], new Date(NaN)],
		...[NaN, Infinity, 1e300, 20_261_345, 202_611, 12_345.5, 2026, 9999],
		...['2026', '2026112', '20260230', '2026-13-40', '2026-02-30', '2026-11-00'],
		...['2026-02-29T10:00:00Z', ' 2026/11/31 10:00', DateTime.invalid('no date')],
	])('is not read from %p', (...[value]: unknown[]) => {
		expect(readInstant(value, 'UTC')).toBeUndefined();
	});
});
