import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { bag, cdrOf, habits, live, settingsOf, START, stepUpTo, World } from './world';
import type { Happening } from './world';

const MINUTE = 60_000;
const OVERLAP = 120 * MINUTE;
const SPAN = 240 * MINUTE;
const ALL_INCLUSIVE = { fromInclusive: true, toInclusive: true, order: 'asc' as const };

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

	it('also of a long time ago, where a run ends between the legs of a call', async () => {
		await fc.assert(
			fc.asyncProperty(calls, fc.integer({ min: 0, max: 27 * 3600 }), async (all, second) => {
				const at = START - 56 * 60 * MINUTE + second * 1000;
				const settings = settingsOf({
					kind: 'newCall',
					maxItems: 3,
					firstRun: { kind: 'since', at: at },
				});
				const past = all.map(({ legs }) =>
					legs.map(({ foundBy, record }) => ({
						appearsAt: 0,
						foundBy: foundBy - 28 * 60 * MINUTE,
						record: { ...record, TIMESTAMP: String(Number(record.TIMESTAMP) - 28 * 3600) },
					})),
				);
				const world = new World(past.flat(), settings, ALL_INCLUSIVE);
				await live(world, [], START + 120 * MINUTE * 5);
				expect(world.emitted.map(({ callId }) => callId).sort()).toEqual(
					all.map(({ id }) => id).sort(),
				);
			}),
			{ numRuns: 200 },
		);
	});

	it('waits for the inbound leg, since a phone that did not answer is recorded long before the call ends', async () => {
		const ringing = {
			appearsAt: START + MINUTE,
			foundBy: START + MINUTE,
			record: cdrOf(START + MINUTE, { CALL_DIRECTION: 'outbound', BILLING_SECONDS: '0' }),
		};
		const whole = {
			appearsAt: START + 40 * MINUTE,
			foundBy: START + 40 * MINUTE,
			record: cdrOf(START + 40 * MINUTE),
		};
		const world = new World([ringing, whole], settingsOf({ kind: 'newCall' }), ALL_INCLUSIVE);
		const given: number[] = [];
		for (let minute = 0; minute < 60; minute++, world.now += MINUTE) {
			if ((await world.poll()).length > 0) given.push(minute);
		}

		expect(given).toEqual([40]);
		expect(legsOf(world.emitted[0] ?? {})).toHaveLength(2);
	});

	it('gives a call without an inbound leg when that was waited for as long as the overlap covers', async () => {
		const past = { appearsAt: 0, foundBy: START, record: cdrOf(START, { BRIDGE_ID: 'past' }) };
		const leg = {
			appearsAt: START + MINUTE,
			foundBy: START + MINUTE,
			record: cdrOf(START + MINUTE, { CALL_DIRECTION: 'outbound' }),
		};
		const settings = settingsOf({ kind: 'newCall', overlapMs: 80 * MINUTE });
		const world = new World([past, leg], settings, ALL_INCLUSIVE);
		for (let minute = 0; minute <= 80; minute++, world.now += MINUTE) await world.poll();
		expect(world.emitted).toEqual([]);
		await world.poll();
		expect(world.emitted).toHaveLength(1);
	});

	it('gives a call again, marked as late, when a leg comes after it was given', async () => {
		const first = {
			appearsAt: START + MINUTE,
			foundBy: START + MINUTE,
			record: cdrOf(START + MINUTE),
		};
		const late = {
			appearsAt: START + 9 * MINUTE,
			foundBy: START + MINUTE,
			record: cdrOf(START + MINUTE, { CALL_DIRECTION: 'outbound' }),
		};
		const world = new World([first, late], settingsOf({ kind: 'newCall' }), ALL_INCLUSIVE);
		for (let minute = 0; minute < 15; minute++, world.now += MINUTE) await world.poll();

		expect(world.emitted.map(({ late: isLate }) => isLate)).toEqual([undefined, true]);
		expect(world.emitted.map((call) => legsOf(call).length)).toEqual([1, 2]);
	});

	it('gives records without a Bridge-ID as calls of their own', async () => {
		const at = START + MINUTE;
		const leg = { appearsAt: at, foundBy: at, record: cdrOf(at, { BRIDGE_ID: '' }) };
		const world = new World([leg, leg], settingsOf({ kind: 'newCall' }), ALL_INCLUSIVE);
		await world.poll();
		world.now += MINUTE;
		await world.poll();
		expect(world.emitted).toHaveLength(2);
	});

	it('gives records without a time once, though the PBX gives them for every range', async () => {
		const record = cdrOf(START, { TIMESTAMP: '' });
		const always = { appearsAt: START + MINUTE, foundBy: START + 5 * MINUTE, record };
		const world = new World([always], settingsOf({ kind: 'newCall' }), ALL_INCLUSIVE);
		for (let minute = 0; minute < 300; minute++, world.now += MINUTE) {
			always.foundBy = world.now;
			await world.poll();
		}
		expect(world.emitted).toHaveLength(1);
	});

	it('gives a call that was under way at the publication once, whole, and not as late', async () => {
		const leg = (minute: number, CALL_DIRECTION: string) => ({
			appearsAt: START + minute * MINUTE,
			foundBy: START + minute * MINUTE,
			record: cdrOf(START + minute * MINUTE, { CALL_DIRECTION, BILLING_SECONDS: '0' }),
		});
		const before = { appearsAt: 0, foundBy: START, record: cdrOf(START, { BRIDGE_ID: 'before' }) };
		const settings = settingsOf({ kind: 'newCall' });
		const legs = [leg(-5, 'outbound'), leg(5, 'inbound')];
		const world = new World([before, ...legs], settings, ALL_INCLUSIVE);
		for (let minute = 0; minute < 10; minute++, world.now += MINUTE) await world.poll();
		expect(world.emitted.map((call) => [legsOf(call).length, call.late])).toEqual([[2, undefined]]);
	});
});

describe('the first run', () => {
	const past = [50, 40, 30, 20, 10].map((minute) => {
		const at = START - minute * MINUTE;
		return { appearsAt: at, foundBy: at, record: cdrOf(at, { BRIDGE_ID: String(minute) }) };
	});

	it('gives the last calls, and then only new ones', async () => {
		const settings = settingsOf({ kind: 'newCall', firstRun: { kind: 'last', count: 2 } });
		const world = new World(past, settings, ALL_INCLUSIVE);
		await world.poll();
		expect(world.emitted.map(({ callId }) => callId)).toEqual(['20', '10']);
		world.now += MINUTE;
		expect(await world.poll()).toEqual([]);
	});

	it('gives all since a date, oldest first', async () => {
		const settings = settingsOf({ firstRun: { kind: 'since', at: START - 35 * MINUTE } });
		const world = new World(past, settings, ALL_INCLUSIVE);
		await world.poll();
		expect(world.emitted.map(({ BRIDGE_ID }) => BRIDGE_ID)).toEqual(['30', '20', '10']);
	});

	it('changes nothing when it fails', async () => {
		const world = new World(
			past,
			settingsOf({ firstRun: { kind: 'last', count: 5 } }),
			ALL_INCLUSIVE,
		);
		world.failNext = 1;
		expect(await world.poll()).toEqual([]);
		expect(await world.poll()).toHaveLength(5);
	});
});
