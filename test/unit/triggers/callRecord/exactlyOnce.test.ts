import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { bag, cdrOf, habits, happening, live, settingsOf, START, stepUpTo, World } from './world';
import type { Happening } from './world';

const MINUTE = 60_000;
const SPAN = 300 * MINUTE;

/** Lateness and skew up to the overlap, with a margin for whole seconds. */
const MARGIN = 3000;

/**
 * A record of one of four calls. Its TIMESTAMP is off by up to half the overlap, and the PBX files it under a time that is
 * off by up to the other half, by the same for all records of a call.
 */
const aHappening = (overlapMs: number, drifts: readonly number[]): fc.Arbitrary<Happening> =>
	fc
		.record({
			appearsAt: fc
				.integer({ min: -60, max: SPAN / MINUTE })
				.map((minute) => START + minute * MINUTE + 500),
			skew: fc.integer({ min: -(overlapMs / 2 - MARGIN), max: overlapMs / 2 - MARGIN }),
			bridge: fc.integer({ min: 0, max: 3 }),
			extra: fc.option(fc.integer({ min: 0, max: 1 })),
			rec: fc.constantFrom('', 'a.mp3', 'b.mp3'),
		})
		.map(({ appearsAt, skew, bridge, extra, rec }) => {
			const stamp = Math.floor((appearsAt + skew) / 1000) * 1000;
			const changes = {
				BRIDGE_ID: `${bridge}@10.0.0.5`,
				REC_FILE: rec,
				...(extra === null ? {} : { call_id: String(extra) }),
			};
			return { appearsAt, foundBy: stamp + (drifts[bridge] ?? 0), record: cdrOf(stamp, changes) };
		});

const aStep = stepUpTo(40 * MINUTE);
const END = START + SPAN + 24 * 60 * MINUTE;

const bursts = (overlapMs: number) => {
	const most = overlapMs / 2 - MARGIN;
	return fc
		.array(fc.oneof(fc.constant(0), fc.integer({ min: -most, max: most })), {
			minLength: 4,
			maxLength: 4,
		})
		.chain((drifts) =>
			fc.array(fc.tuple(aHappening(overlapMs, drifts), fc.integer({ min: 1, max: 3 })), {
				maxLength: 25,
			}),
		)
		.map((list) =>
			list.flatMap(([happening, times]) => Array.from({ length: times }, () => happening)),
		);
};

/** Which of two records that differ only in the recording was there before cannot be told: one may get it later. */
const apart = (records: readonly IDataObject[]) =>
	bag(records.map((record) => ({ ...record, REC_FILE: '' })));

describe('every record exactly once', () => {
	it.each([
		['small overlap', 10 * MINUTE, 500],
		['default overlap', 120 * MINUTE, 500],
		['few items per run', 120 * MINUTE, 2],
	])('from now on, whatever appears when: %s', async (_, overlapMs, maxItems) => {
		await fc.assert(
			fc.asyncProperty(
				bursts(overlapMs),
				fc.array(aStep, { maxLength: 15 }),
				habits,
				async (happenings, steps, ways) => {
					const world = new World(happenings, settingsOf({ overlapMs, maxItems }), ways);
					await live(world, steps, END);
					const expected = happenings.filter(({ appearsAt }) => appearsAt > START);
					expect(apart(world.emitted)).toEqual(apart(expected.map(({ record }) => record)));
				},
			),
			{ numRuns: 150 },
		);
	});

	it('since a date, after a long pause, however little time a poll has and the PBX takes', async () => {
		const overlapMs = 30 * MINUTE;
		await fc.assert(
			fc.asyncProperty(
				bursts(overlapMs),
				fc.array(aStep, { maxLength: 8 }),
				habits,
				fc.record({ budgetMs: fc.nat(90_000), answerMs: fc.nat(20_000) }),
				async (happenings, steps, ways, times) => {
					const since = START - 10 * 24 * 60 * MINUTE;
					const settings = settingsOf({
						overlapMs,
						maxItems: 7,
						firstRun: { kind: 'since', at: since },
					});
					const world = Object.assign(new World(happenings, settings, ways), times);
					await live(world, steps, END);
					expect(bag(world.emitted)).toEqual(bag(happenings.map(({ record }) => record)));
				},
			),
			{ numRuns: 80 },
		);
	});

	it('keeps a state that is bounded by the overlap', async () => {
		const happenings = Array.from({ length: 3000 }, (_, n) =>
			happening(START + n * 20_000, { BRIDGE_ID: String(n) }),
		);
		const world = new World(happenings, settingsOf({ overlapMs: 10 * MINUTE }));
		for (let n = 0; n < 1000; n++) {
			await world.pollFor(1);
			expect(world.stateSize).toBeLessThanOrEqual(40);
		}
		expect(world.emitted).toHaveLength(2997);
	});

	it('reads no more than about a day at once to catch up, however few items a run may give', async () => {
		const happenings = Array.from({ length: 300 }, (_, n) =>
			happening(START - n * 60 * MINUTE, { BRIDGE_ID: String(n) }),
		);
		const firstRun = { kind: 'since', at: START - 300 * 60 * MINUTE } as const;
		const world = new World(happenings, settingsOf({ maxItems: 5, firstRun }));
		await live(world, [], START + 100 * 60 * MINUTE);
		expect(world.emitted).toHaveLength(300);
		// A silence after the last record is read at once.
		expect(world.longest).toBeLessThan(2 * 86_400);
	});

	it('takes a record whose extra fields or recording change later for the same record', async () => {
		const at = START + MINUTE;
		const first = happening(at, { cost: '0' });
		const world = new World([first, happening(at, { cost: '7' }, at + 5 * MINUTE)], settingsOf({}));
		await world.pollFor(3);
		first.record = cdrOf(at, {
			cost: '1',
			REC_FILE: 'a.mp3',
			REC_LINK: 'https://records.example/',
		});
		await world.pollFor(2);
		expect(world.emitted).toEqual([cdrOf(at, { cost: '0' })]);
		await world.pollFor(5);
		expect(world.emitted).toHaveLength(2);
	});

	it('gives nothing twice after the overlap was made longer', async () => {
		const happenings = Array.from({ length: 100 }, (_, n) =>
			happening(START + n * MINUTE, { BRIDGE_ID: String(n) }),
		);
		const settings = settingsOf({ overlapMs: 5 * MINUTE });
		const world = new World(happenings, settings);
		await world.pollFor(50);
		settings.overlapMs = 120 * MINUTE;
		await world.pollFor(50);
		expect(world.emitted).toHaveLength(99);
	});

	it('gives nothing twice when the PBX leaves records out once', async () => {
		const at = START + MINUTE;
		const one = happening(at);
		const world = new World([one], settingsOf({}));
		await world.pollFor(1);
		for (const appearsAt of [at, Infinity, at]) {
			one.appearsAt = appearsAt;
			await world.pollFor(2);
		}
		expect(world.emitted).toHaveLength(1);
	});
});
