import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { times } from '../../../support/release';
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
const aHappening = (lookBackMs: number, drifts: readonly number[]): fc.Arbitrary<Happening> =>
	fc
		.record({
			appearsAt: fc
				.integer({ min: -60, max: SPAN / MINUTE })
				.map((minute) => START + minute * MINUTE + 500),
			skew: fc.integer({ min: -(lookBackMs / 2 - MARGIN), max: lookBackMs / 2 - MARGIN }),
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

const bursts = (lookBackMs: number) => {
	const most = lookBackMs / 2 - MARGIN;
	return fc
		.array(fc.oneof(fc.constant(0), fc.integer({ min: -most, max: most })), {
			minLength: 4,
			maxLength: 4,
		})
		.chain((drifts) =>
			fc.array(fc.tuple(aHappening(lookBackMs, drifts), fc.integer({ min: 1, max: 3 })), {
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
		['one per execution', 120 * MINUTE, {}],
		['two per execution', 120 * MINUTE, { isPerCall: false, maxItems: 2 }],
	])('from now on, whatever appears when: %s', async (_, lookBackMs, more) => {
		await fc.assert(
			fc.asyncProperty(
				bursts(lookBackMs),
				fc.array(aStep, { maxLength: 15 }),
				habits,
				async (happenings, steps, ways) => {
					const world = new World(happenings, settingsOf({ lookBackMs, ...more }), ways);
					await live(world, steps, END);
					const expected = happenings.filter(({ appearsAt }) => appearsAt > START);
					expect(apart(world.emitted)).toEqual(apart(expected.map(({ record }) => record)));
				},
			),
			{ numRuns: times(20, 100) },
		);
	});

	it('since a date, after a long pause, with a short look-back time', async () => {
		const lookBackMs = 10 * MINUTE;
		await fc.assert(
			fc.asyncProperty(
				bursts(lookBackMs),
				fc.array(aStep, { maxLength: 8 }),
				habits,
				async (happenings, steps, ways) => {
					const at = START - 10 * 24 * 60 * MINUTE;
					const settings = settingsOf({ lookBackMs, firstRun: { kind: 'since', at } });
					const world = new World(happenings, settings, ways);
					await live(world, steps, END);
					expect(bag(world.emitted)).toEqual(bag(happenings.map(({ record }) => record)));
				},
			),
			{ numRuns: times(20, 80) },
		);
	});

	it('keeps a state that is bounded by the look-back time', async () => {
		const happenings = Array.from({ length: 3000 }, (_, n) =>
			happening(START + n * 20_000, { BRIDGE_ID: String(n) }),
		);
		const world = new World(happenings, settingsOf({ lookBackMs: 10 * MINUTE }));
		for (let n = 0; n < 1000; n++) {
			await world.pollFor(1);
			expect(world.stateSize).toBeLessThanOrEqual(100);
		}
		expect(world.emitted).toHaveLength(2997);
	});

	it('reads a long past in parts, and a silence at once', async () => {
		const happenings = Array.from({ length: 300 }, (_, n) =>
			happening(START - n * 60 * MINUTE, { BRIDGE_ID: String(n) }),
		);
		const firstRun = { kind: 'since', at: START - 300 * 60 * MINUTE } as const;
		const world = new World(happenings, settingsOf({ firstRun }));
		await live(world, [], START + 100 * 60 * MINUTE);
		expect(world.emitted).toHaveLength(300);
		expect(world.longest).toBeLessThanOrEqual(7 * 86_400);
	});

	it('skips a silence of weeks, though no record shows the time', async () => {
		const DAY = 24 * 60 * MINUTE;
		const late = happening(START + 30 * DAY);
		const world = new World([happening(START), late], settingsOf({}));
		await world.pollFor(2);
		for (let day = 0; day < 30; day++, world.now += DAY) await world.pollFor(30);
		await world.pollFor(120);
		expect(world.emitted).toEqual([late.record]);
		world.longest = 0;
		await world.pollFor(1);
		expect(world.longest).toBeLessThan(5 * 86_400);
	});

	it('is not led astray by a record from the future', async () => {
		const world = new World(
			[
				happening(START + 20 * 60 * MINUTE, { BRIDGE_ID: 'future' }, START + MINUTE),
				...[5, 30, 300].map((minute) => happening(START + minute * MINUTE)),
			],
			settingsOf({}),
		);
		await world.pollFor(310);
		expect(world.emitted).toHaveLength(4);
	});

	it('starts again what n8n lost the progress of, and n8n drops what it knows', async () => {
		const happenings = Array.from({ length: 100 }, (_, n) =>
			happening(START + (n - 5) * MINUTE, { BRIDGE_ID: String(n) }),
		);
		const world = new World(happenings, settingsOf({}));
		await world.pollFor(60);
		world.forget();
		world.now += 10 * MINUTE;
		await world.restart();
		await world.pollFor(40);
		// Without the stored progress, it can't be known what was there at the publication.
		expect(new Set(world.emitted.map(({ BRIDGE_ID }) => BRIDGE_ID)).size).toBe(100);
		expect(world.emitted).toHaveLength(100);
		expect(world.duplicates).toBeGreaterThan(50);
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

	it('gives nothing twice after the look-back time was made longer', async () => {
		const happenings = Array.from({ length: 100 }, (_, n) =>
			happening(START + n * MINUTE, { BRIDGE_ID: String(n) }),
		);
		const settings = settingsOf({ lookBackMs: 5 * MINUTE });
		const world = new World(happenings, settings);
		await world.pollFor(50);
		settings.lookBackMs = 120 * MINUTE;
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
