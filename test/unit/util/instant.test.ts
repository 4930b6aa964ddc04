import { execFileSync } from 'node:child_process';

import fc from 'fast-check';
import { DateTime } from 'luxon';

import { readInstant, toIso, unixToGregorian } from '../../../nodes/VirtualPbx/util/time';

/** Unix seconds of the years from one to before the other. */
const seconds = (fromYear: number, toYear: number) =>
	fc.integer({ min: yearStart(fromYear), max: yearStart(toYear) - 1 });

function yearStart(year: number): number {
	const date = new Date(0);
	date.setUTCFullYear(year, 0, 1);
	return date.getTime() / 1000;
}

/** In Moscow, 5 November 2026 at 22:00, and the 25th at midnight. */
const TEN = '2026-11-05T19:00:00Z';
const THE_25TH = '2026-11-24T21:00:00Z';
const READ: Array<[text: unknown, instant: string]> = [
	...[
		...['2026-11-05T22:00', '2026-11-05 22:00:00', '2026/11/5 22:00', '2026.11.05 22:00:00.000'],
		...[
			'2026-11-05 10:00 PM',
			'2026-11-05 10:00PM',
			'2026-11-05, 10 p.m.',
			'2026-11-05T10:00:00 pm',
		],
		...['2026-11-05\u202f10:00\u202fPM', 'Nov 5, 2026 10:00 PM', 'November 5th, 2026 at 10:00 PM'],
		...[
			'5 November 2026 22:00',
			'05-Nov-2026 22:00',
			'Thursday, 5 Nov 2026 22:00',
			'20261105T2200',
		],
		...[
			'20261105220000',
			'20261105220000000',
			'20261105T220000',
			'20261105T190000Z',
			' 2026-11-05T22 ',
		],
		...['Thu, 05 Nov 2026 19:00:00 GMT', 'Thu, 05 Nov 2026 22:00:00 +0300', '2026-11-05T19:00Z'],
		...['Thu Nov 05 2026 14:00:00 GMT-0500 (Eastern Standard Time)', '2026-11-05 22:00:00+03'],
		...['2026-11-05T19:00:00.000Z', '2026-11-05 19:00 UTC', '2026-11-05T14:00[America/New_York]'],
		...['2026-11-05T22:00:00+03:00[Europe/Moscow]', '2026-11-05T14:00:00.000-05:00'],
	].map((text): [string, string] => [text, TEN]),
	...[
		...['2026-11-25', '25.11.2026', '25/11/2026', '11/25/2026', '25-11-2026', '20261125', 20261125],
		...['2026/11/25', '25 Nov 2026', 'nov 25, 2026', '2026-11-25T00:00', '25.11.2026 00:00'],
		...['11/25/2026 12:00 AM', '11/24/2026, 9:00:00 PM GMT'],
	].map((text): [string | number, string] => [text, THE_25TH]),
	...['11.11.2026', '11/11/2026'].map((text): [string, string] => [text, '2026-11-10T21:00:00Z']),
	['2026-11', '2026-10-31T21:00:00Z'],
	['2026-11-05T24:00', '2026-11-05T21:00:00Z'],
	[0, '1970-01-01T00:00:00Z'],
	['1764324000.5', '2025-11-28T10:00:00.500Z'],
];

/** Texts that aren't times, and those that could be two. */
const REFUSED: unknown[] = [
	...[
		'',
		null,
		undefined,
		{},
		[],
		true,
		[1],
		['2026-11-20'],
		new Date(NaN),
		DateTime.invalid('no'),
	],
	...[NaN, Infinity, 1e300, -1, 5, 20_261_345, 202_611, 12_345.5, 2026, 9999, 20_261_105.5],
	...['2026', '2026112', '20260230', '2026-13-40', '2026-02-30', '2026-11-00', '0', '-7'].slice(
		0,
		-2,
	),
	...['2026-02-29T10:00:00Z', ' 2026/11/31 10:00', '31.11.2026', '2026-25-11', '05112026', '-7'],
	...['05.11.2026', '5/11/2026', '11/05/2026', '05-11-2026 10:00', '05.11.26', '25.11.26', '11/5'],
	...['2026-11-05 22:00 PM', '2026-11-05 0:30 AM', '2026-11-05 25:00', '2026-11-05 10:60', '10:00'],
	...['2026-11-05 9', '2026-11-05 10:00 EST', '2026-11-05T10:00[Mars/Phobos]', 'Fri, 5 Nov 2026'],
	...['202611051000', '20261105256000', '20261305100000', '176432400000000000', '1'.repeat(400)],
	...[
		'soon',
		'yesterday',
		'5 Smarch 2026',
		'2026-11-05 and later',
		'2026-11-05T',
		'P1D',
		'1e9',
		'0x10',
	],
	DateTime.fromISO('2026-11-05').diffNow(),
];

describe('a time that someone enters', () => {
	it('is read from Unix seconds, milliseconds, microseconds and Gregorian seconds, as numbers and texts', () => {
		fc.assert(
			fc.property(seconds(1975, 2286), (unix) => {
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

	it.each(REFUSED)('is not read from %p', (...[value]: unknown[]) => {
		expect(readInstant(value, 'UTC')).toBeUndefined();
	});

	it('is the first of two equal ones, and later if the clocks skip it', () => {
		const read = (text: string, zone: string) => toIso(readInstant(text, zone) ?? NaN);
		expect(read('2026-11-01 00:30', 'America/Havana')).toBe('2026-11-01T04:30:00Z');
		expect(read('2026-10-25 02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00Z');
		expect(read('2026-03-29 02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00Z');
		expect(read('2026-04-24', 'Africa/Cairo')).toBe('2026-04-23T22:00:00Z');
	});

	it.each(['America/New_York', 'Asia/Tokyo', 'Africa/Cairo'])(
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
