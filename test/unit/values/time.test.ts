import fc from 'fast-check';
import { DateTime } from 'luxon';

import {
	GREGORIAN_OFFSET,
	gregorianToUnix,
	moscowToGregorian,
	numberToUnixMs,
	readInstant,
	LATEST_MS,
	toIso,
	unixToGregorian,
} from '../../../nodes/VirtualPbx/values/time';

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
		expect(toIso(gregorianToUnix(0) * 1000)).toBe('0000-01-01T00:00:00Z');
		expect(unixToGregorian(0)).toBe(62_167_219_200);
		expect(unixToGregorian(yearStart(9999))).toBe(daysSinceYearZero(9999, 1, 1) * 86_400);
	});

	it('are the days since the year 0 times 86400, from year 0 to 9999', () => {
		fc.assert(
			fc.property(seconds(0, 10_000), (unix) => {
				const date = new Date(unix * 1000);
				const days = daysSinceYearZero(
					date.getUTCFullYear(),
					date.getUTCMonth() + 1,
					date.getUTCDate(),
				);
				expect(unixToGregorian(unix)).toBe(days * 86_400 + (((unix % 86_400) + 86_400) % 86_400));
			}),
		);
	});

	it('go both ways without loss', () => {
		fc.assert(
			fc.property(seconds(0, 10_000), (unix) => {
				expect(gregorianToUnix(unixToGregorian(unix))).toBe(unix);
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
		expect(() => toIso(Number.NaN)).toThrow(RangeError);
		expect(() => toIso(2 * LATEST_MS)).toThrow(RangeError);
	});

	it('take three hours off a timestamp in Moscow time', () => {
		fc.assert(
			fc.property(seconds(1970, 9999), (utc) => {
				const moscow = utc + 3 * 3600;
				expect(moscowToGregorian(moscow)).toBe(unixToGregorian(utc));
				expect(moscowToGregorian(moscow)).toBe(moscow - 3600 * 3 + 62_167_219_200);
			}),
		);
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

	it('is read from Unix seconds of nine digits and more, and from 0, the beginning', () => {
		expect(readInstant(999_999_999, 'UTC')).toBe(999_999_999_000);
		expect(readInstant(0, 'UTC')).toBe(0);
	});

	it('is read on leap days', () => {
		for (const year of ['0000', '0004', '2000', '2024']) {
			expect(readInstant(`${year}-02-29`, 'UTC')).toBe(Date.parse(`${year}-02-29T00:00:00Z`));
		}
	});

	it('is read from date objects', () => {
		const date = new Date('2026-11-20T12:00:00Z');
		expect(readInstant(date, 'UTC')).toBe(date.getTime());
		expect(readInstant(DateTime.fromJSDate(date), 'UTC')).toBe(date.getTime());
	});

	it.each([
		['nonsense'],
		[''],
		[null],
		[undefined],
		[{}],
		[[]],
		[NaN],
		[Infinity],
		[true],
		[new Date(NaN)],
		['2026-13-40'],
		[20261345],
		['20260230'],
		['20261345T101500Z'],
		[202611],
		['2026112'],
		[12345.5],
		['2026-02-30'],
		['2026-02-29T10:00:00Z'],
		[' 2026/11/31 10:00'],
		['2026-11-00'],
		[2026],
		['2026'],
		[1000],
		[9999],
		[[1]],
		[['2026-11-20']],
		[{ value: '2026-11-20' }],
		[{ toString: () => '2026-11-20' }],
		[DateTime.invalid('no date')],
		[1e300],
	])('is not read from %p', (value) => {
		expect(readInstant(value, 'UTC')).toBeUndefined();
	});

	it('never throws', () => {
		fc.assert(fc.property(fc.anything(), (value) => void numberToUnixMs(value)));
		fc.assert(fc.property(fc.anything(), (value) => void readInstant(value, 'UTC')));
	});
});
