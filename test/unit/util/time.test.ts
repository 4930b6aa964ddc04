import fc from 'fast-check';

import {
	GREGORIAN_OFFSET,
	gregorianToUnixMs,
	LATEST_MS,
	startOfDay,
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

/** Days that begin at 01:00, or on which the clocks show 00:00 twice, from the time zone database. */
describe('a day in a time zone begins at its first moment', () => {
	afterEach(() => jest.useRealTimers());

	it.each([
		[
			'Africa/Cairo',
			'2026-04-24T10:00:00Z',
			['2026-04-21T22:00Z', '2026-04-22T22:00Z', '2026-04-23T22:00Z'],
		],
		[
			'Africa/Cairo',
			'2026-04-25T10:00:00Z',
			['2026-04-22T22:00Z', '2026-04-23T22:00Z', '2026-04-24T21:00Z'],
		],
		[
			'Asia/Beirut',
			'2026-03-29T12:00:00Z',
			['2026-03-26T22:00Z', '2026-03-27T22:00Z', '2026-03-28T22:00Z'],
		],
		[
			'America/Santiago',
			'2026-09-06T12:00:00Z',
			['2026-09-04T04:00Z', '2026-09-05T04:00Z', '2026-09-06T04:00Z'],
		],
		[
			'America/Havana',
			'2026-03-08T12:00:00Z',
			['2026-03-06T05:00Z', '2026-03-07T05:00Z', '2026-03-08T05:00Z'],
		],
		[
			'America/Havana',
			'2026-11-02T12:00:00Z',
			['2026-10-31T04:00Z', '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
		],
		[
			'Asia/Kathmandu',
			'2026-11-02T12:00:00Z',
			['2026-10-30T18:15Z', '2026-10-31T18:15Z', '2026-11-01T18:15Z'],
		],
	])('in %s at %s', (zone, now, days) => {
		jest.useFakeTimers({ now: new Date(now) });
		expect([-2, -1, 0].map((day) => startOfDay(zone, day))).toEqual(
			days.map((day) => Date.parse(day)),
		);
	});

	it('in every time zone, on every day of a year', () => {
		jest.useFakeTimers();
		for (const zone of Intl.supportedValuesOf('timeZone')) {
			const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
			const dayOf = (ms: number) => format.format(ms);
			for (let day = 0; day < 365; day += 3 * zone.length) {
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
