import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readCallParts, readCalls } from '../../../nodes/VirtualPbx/actions/call/calls';
import type { Pbx } from '../../../nodes/VirtualPbx/pbx/client';
import { bounds, pbxOf as filedPbx } from '../support/rangePbx';
import type { Bounds, Filed } from '../support/rangePbx';

/** Gregorian seconds, long ago. */
const FROM = 63_900_000_000;
const MINUTE = 60;
const HOUR = 3600;
const LENGTH = 3 * 24 * HOUR;

/** A call with all its legs. */
interface Placed {
	id: string;
	legs: Filed[];
}
const BOTH = { fromInclusive: true, toInclusive: true };
/** A PBX that files the records of calls. */
const pbxOf = (calls: Placed[], ways: Bounds = BOTH) =>
	filedPbx(
		calls.flatMap(({ legs }) => legs),
		ways,
	);

/** Moments of which many fall on hours, where ranges are cut. */
const moment = fc
	.tuple(fc.nat(LENGTH / HOUR), fc.constantFrom(0, 0, -1, 1, 1799))
	.map(([hour, seconds]) => FROM + hour * HOUR + seconds);
/** How far the PBX's own time is off TIMESTAMP. */
const drift = fc.constantFrom(0, 0, 0, -7, 13, -HOUR / 2);

interface LegPlan {
	time: number;
	drift?: number;
	direction?: 'inbound' | 'outbound';
	seconds?: number;
}

const callOf = (id: string, plans: LegPlan[], bridge: IDataObject = { BRIDGE_ID: id }): Placed => {
	const legs = plans.map(({ time, drift: off = 0, direction = 'inbound', seconds = 0 }, index) => ({
		time: time + off,
		record: {
			...{ ...bridge, CALL_DIRECTION: direction, TIMESTAMP: String(time) },
			...{ BILLING_SECONDS: String(seconds), LEG: `${id} ${index}` },
		},
	}));
	return { id, legs };
};
type Shape = (id: string) => Placed;

/** A call that ends with a leg of this direction, and whose other legs ended up to an hour and a half before. */
const endingWith = (direction: 'inbound' | 'outbound') =>
	fc
		.tuple(moment, drift, fc.array(fc.nat(90 * MINUTE), { maxLength: 4 }), fc.nat(2 * HOUR))
		.map(([time, off, others, seconds]): Shape => {
			const legs = others.map((before): LegPlan => {
				return { time: time - before, drift: off, direction: 'outbound' };
			});
			return (id) => callOf(id, [...legs, { time, drift: off, direction, seconds }]);
		});

/** A record without Bridge-ID, which is a call of its own. */
const alone = fc.tuple(moment, drift).map(
	([time, off]): Shape =>
		(id) =>
			callOf(id, [{ time, drift: off, direction: 'outbound' }], {}),
);

const accounts = fc
	.oneof(
		fc.array(fc.oneof(endingWith('inbound'), endingWith('outbound'), alone), { maxLength: 12 }),
		fc.array(fc.oneof(endingWith('outbound'), alone), { maxLength: 12 }),
	)
	.map((shapes) => shapes.map((shape, index) => shape(`${index}@10.0.0.5`)));

const END = FROM + LENGTH;
const cuts = fc
	.array(moment, { maxLength: 4 })
	.map((inner) =>
		[FROM, ...inner, END].filter((at) => at >= FROM && at <= END).sort((a, b) => a - b),
	);

const endOf = ({ legs }: Placed) => Math.max(...legs.map(({ record }) => Number(record.TIMESTAMP)));
const inRange = (call: Placed) => endOf(call) >= FROM && endOf(call) < END;

async function readParts(pbx: Pbx, marks: number[]) {
	const parts = [];
	for (const [index, to] of marks.slice(1).entries()) {
		const from = marks[index] ?? NaN;
		parts.push(await readCalls(pbx, { from, to }));
	}
	return parts.flat();
}

/** Reads in parts up to a limit; the end of each call in Gregorian seconds. */
async function readEnds(pbx: Pbx, limit?: number): Promise<number[]> {
	const ends: number[] = [];
	for await (const calls of readCallParts(pbx, { from: FROM, to: END }, limit))
		ends.push(...calls.map(({ at }) => at / 1000 + 62_167_219_200));
	return ends;
}

describe('calls of a range', () => {
	it('come once each, wherever the range is cut, and with all legs', async () => {
		await fc.assert(
			fc.asyncProperty(accounts, bounds, cuts, async (account, bound, marks) => {
				const { pbx } = pbxOf(account, bound);
				const given = await readParts(pbx, marks);
				const told = given.map(({ legs }) => legs.map(({ original }) => original.LEG).sort());
				const placed = account.filter(inRange);
				const expected = placed.map(({ legs }) => legs.map(({ record }) => record.LEG).sort());
				expect(told.sort()).toEqual(expected.sort());
			}),
			{ numRuns: 400 },
		);
	});

	it('come newest first, and with a limit the newest ones', async () => {
		await fc.assert(
			fc.asyncProperty(
				accounts,
				bounds,
				fc.integer({ min: 1, max: 8 }),
				async (account, bound, limit) => {
					const { pbx } = pbxOf(account, bound);
					const all = await readEnds(pbx);
					expect(all).toEqual([...all].sort((a, b) => b - a));
					expect(await readEnds(pbx, limit)).toEqual(all.slice(0, limit));
				},
			),
			{ numRuns: 200 },
		);
	});

	it('are two where they share a Bridge-ID, but lie days apart, wherever the range is cut', async () => {
		const days = [0, 2].map((day): LegPlan => ({ time: FROM + day * 24 * HOUR, seconds: 60 }));
		const { pbx } = pbxOf([callOf('same', days)]);
		for (const marks of [
			[FROM, END],
			[FROM, FROM + 24 * HOUR, END],
		])
			expect((await readParts(pbx, marks)).map(({ legs }) => legs.length)).toEqual([1, 1]);
	});

	it('come last where their records tell no time', async () => {
		const timeless = { time: FROM + HOUR, record: { BRIDGE_ID: 'none' } };
		const later = callOf('later', [{ time: FROM + 2 * HOUR }]);
		const { pbx } = pbxOf([{ id: 'none', legs: [timeless] }, later]);
		const calls = await readCalls(pbx, { from: FROM, to: END });
		expect(calls.map(({ callId }) => callId)).toEqual(['later', 'none']);
	});

	it('are read in one request, and with a limit no further back than needed', async () => {
		const account = Array.from({ length: 72 }, (_, hour) =>
			callOf(`${hour}@h`, [{ time: FROM + hour * HOUR, seconds: 20 }]),
		);
		const { pbx, requests } = pbxOf(account);
		expect(await readEnds(pbx)).toHaveLength(72);
		expect(await readEnds(pbx, 5)).toHaveLength(5);
		const created_to = END + 2 * HOUR;
		expect(requests).toEqual([
			{ created_from: FROM - 2 * HOUR, created_to },
			{ created_from: END - 26 * HOUR, created_to },
		]);
	});
});

describe('a call that may still go on', () => {
	const now = Math.floor(Date.now() / 1000) + 62_167_219_200;
	const ringing = (minutesAgo: number, id: string) =>
		callOf(id, [{ time: now - minutesAgo * MINUTE, direction: 'outbound' }]);
	const read = async (account: Placed[], hasOnlyPhoneLegs = false) => {
		const { pbx } = pbxOf(account);
		pbx.calls = { ...pbx.calls, hasOnlyPhoneLegs };
		const calls = await readCalls(pbx, { from: now - 24 * HOUR, to: now });
		return calls.map(({ callId }) => callId);
	};

	it('is left to a later range as long as its first leg may come, if the account has such legs', async () => {
		const whole = callOf('whole', [{ time: now - 5 * HOUR, seconds: 9 }]);
		const given = await read([whole, ringing(10, 'young'), ringing(130, 'old')]);
		expect(given).toEqual(['old', 'whole']);
	});

	it('is given at once if the PBX reports only the legs to phones', async () => {
		expect(await read([ringing(10, 'young')], true)).toEqual(['young']);
	});
});
