import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { timeOfCall } from '../../../nodes/VirtualPbx/records/callRange';
import { sortByTime } from '../../../nodes/VirtualPbx/records/call';
import { readCallParts, readCalls } from '../../../nodes/VirtualPbx/records/readCalls';
import type { Pbx } from '../../../nodes/VirtualPbx/transport/pbx';
import type { PbxRequest } from '../../../nodes/VirtualPbx/transport/request';

/** Gregorian seconds, long ago. */
const FROM = 63_900_000_000;
const MINUTE = 60;
const HOUR = 3600;
const LENGTH = 3 * 24 * HOUR;

/** A record, and the time that the PBX finds it by. */
interface Filed {
	time: number;
	record: IDataObject;
}

/** A call with all its legs. `isWhole` where no leg lies further from the first one than its talk time tells. */
interface Placed {
	id: string;
	legs: Filed[];
	isWhole: boolean;
}

interface Bounds {
	fromInclusive: boolean;
	toInclusive: boolean;
}

const bounds: fc.Arbitrary<Bounds> = fc.record({
	fromInclusive: fc.boolean(),
	toInclusive: fc.boolean(),
});

/** A PBX that files records, counts requests, and may not know the filter by Bridge-ID. */
function pbxOf(calls: Placed[], { fromInclusive, toInclusive }: Bounds, knowsFilter = true) {
	const all = calls.flatMap(({ legs }) => legs);
	const requests: IDataObject[] = [];
	const send = async ({ query = {} }: PbxRequest) => {
		requests.push(query);
		const [from, to] = [Number(query.created_from), Number(query.created_to)];
		const bridgeId = knowsFilter ? query.filter_bridge_id : undefined;
		const found = all.filter(
			({ time, record }) =>
				(fromInclusive ? time >= from : time > from) &&
				(toInclusive ? time <= to : time < to) &&
				(bridgeId === undefined || record.BRIDGE_ID === bridgeId),
		);
		return { data: found.map(({ record }) => ({ ...record })) };
	};
	return { pbx: { send } as unknown as Pbx, requests };
}

/** Moments of which many fall on hours, where ranges are cut. */
const moment = fc
	.tuple(fc.nat(LENGTH / HOUR), fc.constantFrom(0, 0, -1, 1, 1799))
	.map(([hour, seconds]) => FROM + hour * HOUR + seconds);
/** How far the PBX's own time is off TIMESTAMP. */
const drift = fc.constantFrom(0, 0, 0, -7, 13, -HOUR / 2);
const talk = fc.constantFrom(0, 30, 2 * HOUR, 9 * HOUR);

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
const whole =
	(plans: LegPlan[], isWhole: boolean): Shape =>
	(id) => ({ id, legs: plans.map((plan, index) => legOf(id, index, plan)), isWhole });

/** A call with a first leg that ends last, and whose other legs ended during the call, also many hours before. */
const ledCall = fc
	.tuple(moment, drift, talk, fc.array(fc.tuple(fc.nat(100), drift), { maxLength: 4 }))
	.map(([time, off, seconds, others]) => {
		const first: LegPlan = { time, drift: off, direction: 'inbound', seconds };
		const legs = others.map(([share, legDrift]): LegPlan => {
			const before = Math.floor(((seconds + 8 * MINUTE) * share) / 100);
			return { time: time - before, drift: legDrift, direction: 'outbound' };
		});
		return whole([...legs, first], true);
	});

/** A call whose legs lie anywhere within most of a day. */
const scattered = (direction: 'inbound' | 'outbound') =>
	fc
		.tuple(
			moment,
			fc.array(fc.tuple(fc.nat(22 * HOUR), drift, talk), { minLength: 1, maxLength: 4 }),
		)
		.map(([time, legs]) =>
			whole(
				legs.map(([after, off, seconds], index) => ({
					time: time + after,
					drift: off,
					direction: index === 0 ? direction : 'outbound',
					seconds,
				})),
				direction === 'outbound' && legs.filter(([, , seconds]) => seconds > 0).length < 2,
			),
		);

/** A record without Bridge-ID, which is a call of its own. */
const alone = fc.tuple(moment, drift).map(
	([time, off]): Shape =>
		(id) => {
			const { record, time: filed } = legOf(undefined, 0, {
				time,
				drift: off,
				direction: 'outbound',
			});
			return { id, legs: [{ time: filed, record: { ...record, LEG: id } }], isWhole: true };
		},
);

const accounts = fc
	.oneof(
		fc.array(fc.oneof(ledCall, scattered('inbound'), scattered('outbound'), alone), {
			maxLength: 12,
		}),
		fc.array(fc.oneof(scattered('outbound'), alone), { maxLength: 12 }),
	)
	.map((shapes) => shapes.map((shape, index) => shape(`${index}@10.0.0.5`)));

const END = FROM + LENGTH;
const cuts = fc
	.array(moment, { maxLength: 4 })
	.map((inner) =>
		[FROM, ...inner, END].filter((at) => at >= FROM && at <= END).sort((a, b) => a - b),
	);

const idOf = (legs: readonly IDataObject[]) => String(legs[0]?.BRIDGE_ID ?? legs[0]?.LEG);
const placeOf = ({ legs }: Placed) =>
	timeOfCall(sortByTime(legs.map(({ record }) => record))) ?? NaN;
const inRange = (call: Placed) => {
	const at = placeOf(call) / 1000 + 62_167_219_200;
	return at >= FROM && at < FROM + LENGTH;
};
const WEEK = 7 * 24 * HOUR;

async function readParts(pbx: Pbx, marks: number[], windowSeconds: number) {
	const parts = [];
	for (const [index, to] of marks.slice(1).entries()) {
		const from = marks[index] ?? NaN;
		parts.push(await readCalls(pbx, { from, to, windowSeconds }));
	}
	return parts.flat();
}

describe('calls of a range', () => {
	it('come once each, wherever the range is cut, and with all legs', async () => {
		await fc.assert(
			fc.asyncProperty(
				accounts,
				bounds,
				cuts,
				fc.constantFrom(WEEK, 24 * HOUR, 5 * HOUR),
				async (account, bound, marks, windowSeconds) => {
					const { pbx } = pbxOf(account, bound);
					const given = await readParts(pbx, marks, windowSeconds);
					const expected = account.filter(inRange);
					expect(given.map(({ legs }) => idOf(legs)).sort()).toEqual(
						expected.map(({ id }) => id).sort(),
					);
					for (const { id, legs, isWhole } of expected.filter((call) => call.isWhole)) {
						const got = given.find((call) => idOf(call.legs) === id)?.legs ?? [];
						expect([isWhole, got.map(({ LEG }) => LEG).sort()]).toEqual([
							true,
							legs.map(({ record }) => record.LEG).sort(),
						]);
					}
				},
			),
			{ numRuns: 400 },
		);
	});

	it('come newest first, and with a limit the newest ones', async () => {
		await fc.assert(
			fc.asyncProperty(
				accounts,
				bounds,
				fc.integer({ min: 1, max: 8 }),
				fc.constantFrom(WEEK, 12 * HOUR),
				async (account, bound, limit, windowSeconds) => {
					const { pbx } = pbxOf(account, bound);
					const query = { from: FROM, to: FROM + LENGTH, windowSeconds };
					const all = (await readCalls(pbx, query)).map(({ legs }) => timeOfCall(legs) ?? NaN);
					const some = (await readCalls(pbx, query, limit)).map(({ legs }) => timeOfCall(legs));
					expect(all).toEqual([...all].sort((a, b) => b - a));
					expect(some).toEqual(all.slice(0, limit));
				},
			),
			{ numRuns: 200 },
		);
	});

	it.each([
		['come once from an account with outbound legs only', 'outbound', true],
		['come once where a PBX does not know the filter by Bridge-ID', 'outbound', false],
	] as const)('%s, also very many of them', async (_, direction, knowsFilter) => {
		const account = Array.from({ length: 300 }, (__, index) => {
			const time = FROM + index * 10 * MINUTE;
			const plans = [0, 9 * HOUR].map((after): LegPlan => {
				return { time: time + after, drift: 0, direction, seconds: after > 0 ? 60 : 0 };
			});
			return whole(plans, true)(`${index}@10.0.0.5`);
		});
		const { pbx, requests } = pbxOf(
			account,
			{ fromInclusive: true, toInclusive: true },
			knowsFilter,
		);
		const marks = [0, 20, 24, 60].map((hours) => FROM + hours * HOUR);
		const given = await readParts(pbx, marks, WEEK);
		expect(given.map(({ legs }) => idOf(legs)).sort()).toEqual(account.map(({ id }) => id).sort());
		expect(given.every(({ legs }) => legs.length === 2)).toBe(true);
		expect(requests.length).toBeLessThan(250);
	});

	it('come once though their records tell no time, by the times that the PBX finds them by', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.tuple(moment, fc.boolean()), { maxLength: 12 }),
				accounts,
				cuts,
				async (times, timed, marks) => {
					const account = times.map(([time, hasBridge], index): Placed => {
						const id = `none${index}`;
						const record = { LEG: id, ...(hasBridge ? { BRIDGE_ID: id } : {}) };
						return { id, legs: [{ time, record }], isWhole: true };
					});
					const both = { fromInclusive: true, toInclusive: true };
					const { pbx } = pbxOf([...account, ...timed], both);
					const given = await readParts(pbx, marks, WEEK);
					const wanted = account.filter(
						({ legs: [leg] }) => (leg?.time ?? 0) >= FROM && (leg?.time ?? 0) < FROM + LENGTH,
					);
					expect(
						given
							.map(({ legs }) => idOf(legs))
							.filter((id) => id.startsWith('none'))
							.sort(),
					).toEqual(wanted.map(({ id }) => id).sort());
				},
			),
			{ numRuns: 100 },
		);
	});

	it('are read in one request, and with a limit no further back than needed', async () => {
		const plans = (hour: number): LegPlan[] => [
			{ time: FROM + hour * HOUR, drift: 0, direction: 'inbound', seconds: 20 },
			{ time: FROM + hour * HOUR, drift: 0, direction: 'outbound', seconds: 20 },
		];
		const account = Array.from({ length: 72 }, (_, hour) =>
			whole(plans(hour), true)(`${hour}@10.0.0.5`),
		);
		const { pbx, requests } = pbxOf(account, { fromInclusive: true, toInclusive: true });
		const query = { from: FROM, to: FROM + LENGTH, windowSeconds: WEEK };
		expect(await readCalls(pbx, query)).toHaveLength(72);
		expect(requests).toEqual([
			{ created_from: FROM - 2 * HOUR, created_to: FROM + LENGTH + 2 * HOUR },
		]);
		expect(await readCalls(pbx, query, 5)).toHaveLength(5);
		expect(requests.slice(1)).toEqual([
			{ created_from: FROM + LENGTH - 22 * HOUR, created_to: FROM + LENGTH + 2 * HOUR },
		]);
	});
});

describe('calls that are read in parts', () => {
	it('are those of the whole range, newest first, up to the limit', async () => {
		const account = Array.from({ length: 40 }, (_, index) =>
			whole(
				[
					{ time: FROM + index * 10 * HOUR, drift: 0, direction: 'outbound' },
					{ time: FROM + index * 10 * HOUR + 60, drift: 0, direction: 'inbound', seconds: 20 },
				],
				true,
			)(String(index)),
		);
		const { pbx } = pbxOf(account, { fromInclusive: true, toInclusive: true });
		const query = { from: FROM, to: FROM + 400 * HOUR, windowSeconds: WEEK };
		const ids = async (limit?: number) => {
			const given: unknown[] = [];
			for await (const calls of readCallParts(pbx, query, limit)) {
				given.push(...calls.map(({ bridgeId }) => bridgeId));
			}
			return given;
		};
		const all = account.map(({ id }) => id).reverse();
		expect(await ids()).toEqual(all);
		expect(await ids(25)).toEqual(all.slice(0, 25));
	});
});

describe('a call that may still go on', () => {
	it('is left to a later range as long as its first leg may come, if the account has such legs', async () => {
		const now = Math.floor(Date.now() / 1000) + 62_167_219_200;
		const ringing = (minutesAgo: number, id: string) =>
			whole([{ time: now - minutesAgo * MINUTE, drift: 0, direction: 'outbound' }], true)(id);
		const led = whole(
			[{ time: now - 5 * HOUR, drift: 0, direction: 'inbound', seconds: 9 }],
			true,
		)('led');
		const { pbx } = pbxOf([led, ringing(10, 'young'), ringing(70, 'old')], {
			fromInclusive: true,
			toInclusive: true,
		});
		const given = await readCalls(pbx, { from: now - 24 * HOUR, to: now, windowSeconds: WEEK });
		expect(given.map(({ bridgeId }) => bridgeId)).toEqual(['old', 'led']);
	});
});
