import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { bag, cdrOf, habits, happening, live, settingsOf, START, stepUpTo, World } from './world';
import type { Happening } from './world';

const MINUTE = 60_000;
const OVERLAP = 120 * MINUTE;
const SPAN = 240 * MINUTE;
const at = (minute: number) => START + minute * MINUTE;
const worldOf = (...all: Happening[]) => new World(all, settingsOf({ kind: 'newCall' }));

interface Call {
	id: string;
	legs: Happening[];
}

/**
 * A call whose inbound leg is recorded when it ends, other legs some seconds before or after, or up to 50 minutes before:
 * those rang in vain.
 */
const aCall = (id: number): fc.Arbitrary<Call> =>
	fc
		.record({
			endsAt: fc
				.integer({ min: 1, max: SPAN / 1000 })
				.map((second) => START + MINUTE * 60 + second * 1000),
			others: fc.array(fc.integer({ min: -50 * 60, max: 9 }), { maxLength: 4 }),
			lag: fc.integer({ min: 0, max: 5 }),
			skew: fc.integer({ min: -60 * 60, max: 60 * 60 }),
		})
		.map(({ endsAt, others, lag, skew }) => {
			const leg = (at: number, direction: string): Happening => {
				const foundBy = at + skew * 1000;
				const BILLING_SECONDS = endsAt - at > 10_000 ? '0' : '30';
				const BRIDGE_ID = `${id}@10.0.0.5`;
				const changes = { BRIDGE_ID, CALL_DIRECTION: direction, BILLING_SECONDS };
				return { appearsAt: at + lag * 1000, foundBy, record: cdrOf(foundBy, changes) };
			};
			const legs = [
				leg(endsAt, 'inbound'),
				...others.map((second) => leg(endsAt + second * 1000, 'outbound')),
			];
			return { id: `${id}@10.0.0.5`, legs };
		});

const calls = fc
	.integer({ min: 0, max: 8 })
	.chain((count) => fc.tuple(...Array.from({ length: count }, (_, id) => aCall(id))));

const legsOf = ({ legs }: IDataObject) => legs as IDataObject[];

describe('every call exactly once, with all its legs', () => {
	it.each([500, 1])('whatever appears when, with %d items per run', async (maxItems) => {
		await fc.assert(
			fc.asyncProperty(
				calls,
				fc.array(stepUpTo(20 * MINUTE), { maxLength: 25 }),
				habits,
				async (all, steps, ways) => {
					const settings = settingsOf({ kind: 'newCall', overlapMs: OVERLAP, maxItems });
					const world = new World(
						all.flatMap(({ legs }) => legs),
						settings,
						ways,
					);
					await live(world, steps, START + SPAN + 30 * 60 * MINUTE);

					expect(world.emitted.map(({ callId }) => callId).sort()).toEqual(
						all.map(({ id }) => id).sort(),
					);
					for (const call of all) {
						const told = world.emitted.find(({ callId }) => callId === call.id) ?? {};
						expect(bag(legsOf(told))).toEqual(bag(call.legs.map(({ record }) => record)));
						expect(told.late).toBeUndefined();
					}
				},
			),
			{ numRuns: 200 },
		);
	});

	it('gives a call again, marked as late, when a leg comes after it was given', async () => {
		const late = happening(at(1), { CALL_DIRECTION: 'outbound' }, at(9));
		const world = worldOf(happening(at(1)), late);
		await world.pollFor(15);
		expect(world.emitted.map((call) => [legsOf(call).length, call.late])).toEqual([
			[1, undefined],
			[2, true],
		]);
	});

	it('gives records without a time once, though the PBX gives them for every range', async () => {
		const always = { ...happening(START, { TIMESTAMP: '' }), appearsAt: at(1) };
		const world = worldOf(always);
		for (let minute = 0; minute < 300; minute++, world.now += MINUTE) {
			always.foundBy = world.now;
			await world.poll();
		}
		expect(world.emitted).toHaveLength(1);
	});

	it('gives a call that was under way at the publication once, whole, and not as late', async () => {
		const leg = (minute: number, CALL_DIRECTION: string) =>
			happening(at(minute), { CALL_DIRECTION, BILLING_SECONDS: '0' });
		const before = happening(START, { BRIDGE_ID: 'before' }, 0);
		const world = worldOf(before, leg(-5, 'outbound'), leg(5, 'inbound'));
		await world.pollFor(10);
		expect(world.emitted.map((call) => [legsOf(call).length, call.late])).toEqual([[2, undefined]]);
	});
});
