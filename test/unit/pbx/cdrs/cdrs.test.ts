import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { CdrQuery } from '../../../../nodes/VirtualPbx/pbx/cdrs/cdrs';
import type { Pbx } from '../../../../nodes/VirtualPbx/pbx/client';
import { PbxError } from '../../../../nodes/VirtualPbx/pbx/errors/pbxError';
import type { PbxRequest } from '../../../../nodes/VirtualPbx/pbx/types';
import { bounds, pbxBy, pbxOf as filedPbx } from '../../support/rangePbx';
import type { Bounds, Filed } from '../../support/rangePbx';

const readCdrs = async ({ cdrs }: Pbx, query: CdrQuery, limit?: number) =>
	(await cdrs.list(query, { limit })).map(({ original }) => original);

const FROM = 63_962_000_000;

/** Records of which some are alike in every field, filed under TIMESTAMP or some seconds off it. */
const filed = fc
	.array(fc.tuple(fc.nat(40), fc.constantFrom(0, 0, 0, -7, 13), fc.integer({ min: 1, max: 3 })), {
		maxLength: 30,
	})
	.map((list) =>
		list.flatMap(([minute, drift, twins]): Filed[] => {
			const time = FROM + minute * 150;
			const record = { TIMESTAMP: String(time + drift), BRIDGE_ID: `${minute}/${drift}` };
			return Array.from({ length: twins }, () => ({ time, record }));
		}),
	);

const pbxOf = (all: Filed[], ways: Bounds) => filedPbx(all, ways).pbx;

/** A PBX that refuses ranges longer than so many seconds, and whatever is older than a time. */
function cappedPbx(all: Filed[], cap: number, { status = '400', oldest = 0 } = {}) {
	const open = pbxOf(all, { fromInclusive: true, toInclusive: false });
	const asked: number[] = [];
	const send = async (request: PbxRequest) => {
		const { created_from: from, created_to: to } = request.query ?? {};
		asked.push(Number(to) - Number(from));
		if (asked.length > 5000) throw new Error('There is no end to it');
		if (Number(to) - Number(from) > cap || Number(from) < oldest) {
			throw new PbxError({ kind: 'status', status: Number(status), reason: 'range too long' });
		}
		return await open.send(request);
	};
	return { pbx: pbxBy(send), asked };
}

const bag = (records: IDataObject[]) => records.map((record) => JSON.stringify(record)).sort();

describe('a range that is read in windows', () => {
	const windows = fc.constantFrom(300, 450, 1500, 5999);
	it('gives what one request gives, whatever lies on a seam and whether bounds belong to a range', async () => {
		await fc.assert(
			fc.asyncProperty(filed, bounds, windows, async (all, way, windowSeconds) => {
				const range = { from: FROM, to: FROM + 6000 };
				const whole = await readCdrs(pbxOf(all, way), range);
				const joined = await readCdrs(pbxOf(all, way), { ...range, windowSeconds });
				expect(bag(joined)).toEqual(bag(whole));
				const stamps = joined.map(({ TIMESTAMP }) => Number(TIMESTAMP));
				expect(stamps).toEqual([...stamps].sort((a, b) => b - a));
			}),
			{ numRuns: 300 },
		);
	});

	it('stops at the newest ones that the limit asks for', async () => {
		const all = Array.from({ length: 100 }, (_, n) => ({
			time: FROM + n * 60,
			record: { TIMESTAMP: String(FROM + n * 60) },
		}));
		const way = { fromInclusive: true, toInclusive: true };
		const query = { from: FROM, to: FROM + 6000, windowSeconds: 600 };
		const records = await readCdrs(pbxOf(all, way), query, 15);
		expect(records.map(({ TIMESTAMP }) => Number(TIMESTAMP))).toEqual(
			Array.from({ length: 15 }, (_, n) => FROM + (99 - n) * 60),
		);
	});
});

describe('a range that the PBX refuses', () => {
	const DAY = 86_400;
	const everyHour = (days: number): Filed[] =>
		Array.from({ length: days * 24 }, (_, n) => {
			const time = FROM + n * 3600;
			return { time, record: { TIMESTAMP: String(time) } };
		});

	it.each([
		['a day', [2, DAY, 0], 6],
		['a day, asked for day by day', [2, DAY, DAY], 3],
		['a second less than a day', [2, DAY - 1, DAY], 14],
		['12 hours', [2, DAY / 2, 0], 16],
		['a week', [30, 7 * DAY, 0], 6],
		['a day, of a year', [365, DAY, 0], 480],
		['an hour, asked for in two', [2, 3600, 7200], 100],
	])(
		'because it is longer than %s is read in shorter ones',
		async (_, [days = 0, cap = 0, windowSeconds = 0], most) => {
			const all = everyHour(days);
			const { pbx, asked } = cappedPbx(all, cap);
			const records = await readCdrs(pbx, { from: FROM, to: FROM + days * DAY, windowSeconds });
			expect(bag(records)).toEqual(bag(all.map(({ record }) => record)));
			expect(asked.length).toBeLessThanOrEqual(most);
		},
	);

	it('gives all of it, whatever the PBX and the user allow', async () => {
		const lengths = fc.integer({ min: 3600, max: 3 * DAY });
		const windows = fc.constantFrom(0, 60, 300, 3600, DAY);
		await fc.assert(
			fc.asyncProperty(lengths, windows, lengths, async (cap, own, length) => {
				const all = everyHour(3).filter(({ time }) => time < FROM + length);
				const { pbx, asked } = cappedPbx(all, cap);
				const query = { from: FROM, to: FROM + length, windowSeconds: own };
				expect(bag(await readCdrs(pbx, query))).toEqual(bag(all.map(({ record }) => record)));
				if (own > 0) expect(Math.max(...asked)).toBeLessThanOrEqual(own);
			}),
			{ numRuns: 40 },
		);
	});

	it.each([
		['400', 20 * 365, 6],
		['413', 1, 1],
		['504', 30, 3],
		['504', 1, 1],
		['403', 30, 1],
	])('with %s always, fails soon with its words', async (status, days, most) => {
		const { pbx, asked } = cappedPbx([], 0, { status });
		const query = { from: FROM, to: FROM + days * DAY };
		await expect(readCdrs(pbx, query)).rejects.toThrow('range too long');
		expect(asked.length).toBeLessThanOrEqual(most);
	});

	it('fails soon, too, when only old ones are always refused', async () => {
		const { pbx, asked } = cappedPbx([], DAY, { oldest: FROM + 5 * DAY });
		const query = { from: FROM, to: FROM + 7 * DAY };
		await expect(readCdrs(pbx, query)).rejects.toThrow('range too long');
		expect(asked.length).toBeLessThan(40);
	});
});

it('a list gives no entries that are no records', async () => {
	const record = { TIMESTAMP: String(FROM), value: 1 };
	const pbx = pbxBy(async () => ({ data: [null, 'x', record, 7, [record], true, {}] }));
	expect(await readCdrs(pbx, {}, 2)).toEqual([record, {}]);
});
