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

/** A PBX that files the records of calls. */
const pbxOf = (calls: Placed[], ways: Bounds) =>
	filedPbx(
		calls.flatMap(({ legs }) => legs),
		ways,
	);
const BOTH = { fromInclusive: true, toInclusive: true };

/** Moments of which many fall on hours, where ranges are cut. */
const moment = fc
	.tuple(fc.nat(LENGTH / HOUR), fc.constantFrom(0, 0, -1, 1, 1799))
	.map(([hour, seconds]) => FROM + hour * HOUR + seconds);
/** How far the PBX's own time is off TIMESTAMP. */
const drift = fc.constantFrom(0, 0, 0, -7, 13, -HOUR / 2);

interface LegPlan {
	time: number;
	drift: number;
	direction: 'inbound' | 'outbound';
	seconds?: number;
}

const legOf = (id: string | undefined, index: number, plan: LegPlan): Filed => ({
	time: plan.time + plan.drift,
	record: {
		...(id === undefined ? {} : { BRIDGE_ID: id }),
		CALL_DIRECTION: plan.direction,
		TIMESTAMP: String(plan.time),
		BILLING_SECONDS: String(plan.seconds ?? 0),
		LEG: String(index),
	},
});

type Shape = (id: string) => Placed;
const callOf =
	(plans: LegPlan[]): Shape =>
	(id) => ({ id, legs: plans.map((plan, index) => legOf(id, index, plan)) });

/** A call that ends with a leg of this direction, and whose other legs ended up to an hour and a half before. */
const endingWith = (direction: 'inbound' | 'outbound') =>
	fc
		.tuple(moment, drift, fc.array(fc.nat(90 * MINUTE), { maxLength: 4 }), fc.nat(2 * HOUR))
		.map(([time, off, others, seconds]) => {
			const last: LegPlan = { time, drift: off, direction, seconds };
			const legs = others.map((before): LegPlan => {
				return { time: time - before, drift: off, direction: 'outbound' };
			});
			return callOf([...legs, last]);
		});

/** A record without Bridge-ID, which is a call of its own. */
const alone = fc.tuple(moment, drift).map(
	([time, off]): Shape =>
		(id) => {
			const { record, time: filed } = legOf(undefined, 0, {
				time,
				drift: off,
				direction: 'outbound',
			});
			return { id, legs: [{ time: filed, record: { ...record, LEG: id } }] };
		},
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

const idOf = (legs: readonly IDataObject[]) => String(legs[0]?.BRIDGE_ID ?? legs[0]?.LEG);
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
				const told = given
					.map(({ legs }) => legs.map(({ original }) => original))
					.map((legs) => [idOf(legs), legs.map(({ LEG }) => LEG).sort()]);
				const expected = account
					.filter(inRange)
					.map(({ id, legs }) => [id, legs.map(({ record }) => record.LEG).sort()]);
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
		const days = [0, 2].map((day): LegPlan => {
			return { time: FROM + day * 24 * HOUR, drift: 0, direction: 'inbound', seconds: 60 };
		});
		const { pbx } = pbxOf([callOf(days)('same')], BOTH);
		for (const marks of [
			[FROM, END],
			[FROM, FROM + 24 * HOUR, END],
		])
			expect((await readParts(pbx, marks)).map(({ legs }) => legs.length)).toEqual([1, 1]);
	});

	it('come last where their records tell no time', async () => {
		const timeless = { time: FROM + HOUR, record: { BRIDGE_ID: 'none' } };
		const later = callOf([{ time: FROM + 2 * HOUR, drift: 0, direction: 'inbound' }])('later');
		const { pbx } = pbxOf([{ id: 'none', legs: [timeless] }, later], BOTH);
		const calls = await readCalls(pbx, { from: FROM, to: END });
		expect(calls.map(({ callId }) => callId)).toEqual(['later', 'none']);
	});

	it('are read in one request, and with a limit no further back than needed', async () => {
		const plans = (hour: number): LegPlan[] => [
			{ time: FROM + hour * HOUR, drift: 0, direction: 'inbound', seconds: 20 },
			{ time: FROM + hour * HOUR, drift: 0, direction: 'outbound', seconds: 20 },
		];
		const account = Array.from({ length: 72 }, (_, hour) => callOf(plans(hour))(`${hour}@h`));
		const { pbx, requests } = pbxOf(account, BOTH);
		expect(await readEnds(pbx)).toHaveLength(72);
		expect(requests).toEqual([{ created_from: FROM - 2 * HOUR, created_to: END + 2 * HOUR }]);
		expect(await readEnds(pbx, 5)).toHaveLength(5);
		expect(requests.slice(1)).toEqual([
			{ created_from: END - 26 * HOUR, created_to: END + 2 * HOUR },
		]);
	});
});

describe('a call that may still go on', () => {
	const now = Math.floor(Date.now() / 1000) + 62_167_219_200;
	const ringing = (minutesAgo: number, id: string) =>
		callOf([{ time: now - minutesAgo * MINUTE, drift: 0, direction: 'outbound' }])(id);
	let hasOnlyPhoneLegs = false;
	afterEach(() => void (hasOnlyPhoneLegs = false));
	const read = async (...account: Placed[]) => {
		const { pbx } = pbxOf(account, BOTH);
		pbx.calls = { ...pbx.calls, hasOnlyPhoneLegs };
		const calls = await readCalls(pbx, { from: now - 24 * HOUR, to: now });
		return calls.map(({ callId }) => callId);
	};

	it('is left to a later range as long as its first leg may come, if the account has such legs', async () => {
		const whole = { time: now - 5 * HOUR, drift: 0, direction: 'inbound', seconds: 9 } as const;
		const given = await read(callOf([whole])('whole'), ringing(10, 'young'), ringing(130, 'old'));
		expect(given).toEqual(['old', 'whole']);
	});

	it('is given at once if the PBX reports only the legs to phones', async () => {
		hasOnlyPhoneLegs = true;
		expect(await read(ringing(10, 'young'))).toEqual(['young']);
	});
});
