import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Settings } from '../../../../nodes/VirtualPbx/triggers/callRecord/parameters';
import { times } from '../../../support/release';
import { bag, cdrOf, habits, happening, live, settingsOf, START, stepUpTo, World } from './world';
import type { Happening } from './world';

const MINUTE = 60_000;
const SPAN = 300 * MINUTE;

/** Lateness and skew up to the overlap, with a margin for whole seconds. */
const MARGIN = 3000;

/**
 * Records of four calls, some of them several times. TIMESTAMP is off by up to half the overlap, and the PBX files a
 * record under a time that is off by up to the other half, by the same for all records of a call.
 */
const bursts = (lookBackMs: number): fc.Arbitrary<Happening[]> => {
	const most = lookBackMs / 2 - MARGIN;
	const offset = fc.integer({ min: -most, max: most });
	const record = fc.record({
		minute: fc.integer({ min: -60, max: SPAN / MINUTE }),
		skew: offset,
		call: fc.nat(3),
		extra: fc.option(fc.nat(1)),
		REC_FILE: fc.constantFrom('', 'a.mp3', 'b.mp3'),
		copies: fc.integer({ min: 1, max: 3 }),
	});
	const drifts = fc.array(fc.oneof(fc.constant(0), offset), { minLength: 4, maxLength: 4 });
	return fc.tuple(drifts, fc.array(record, { maxLength: 25 })).map(([drift, list]) =>
		list.flatMap(({ minute, skew, call, extra, REC_FILE, copies }) => {
			const appearsAt = START + minute * MINUTE + 500;
			const stamp = Math.floor((appearsAt + skew) / 1000) * 1000;
			const more = extra === null ? {} : { call_id: String(extra) };
			const made = cdrOf(stamp, { BRIDGE_ID: `${call}@10.0.0.5`, REC_FILE, ...more });
			const one = { appearsAt, foundBy: stamp + (drift[call] ?? 0), record: made };
			return Array.from({ length: copies }, () => one);
		}),
	);
};

const aStep = stepUpTo(40 * MINUTE);
const END = START + SPAN + 24 * 60 * MINUTE;

/** Which of two records that differ only in the recording was there before cannot be told: one may get it later. */
const apart = (records: readonly IDataObject[]) =>
	bag(records.map((record) => ({ ...record, REC_FILE: '' })));

describe('every record exactly once', () => {
	const since = { kind: 'since', at: START - 10 * 24 * 60 * MINUTE } as const;
	it.each<[string, Partial<Settings>]>([
		['from now on, one per execution', {}],
		['from now on, two per execution', { isPerCall: false, maxItems: 2 }],
		['since a date, with a short look-back time', { lookBackMs: 10 * MINUTE, firstRun: since }],
	])('whatever appears when: %s', async (_, more) => {
		const { lookBackMs = 120 * MINUTE, firstRun } = more;
		await fc.assert(
			fc.asyncProperty(
				bursts(lookBackMs),
				fc.array(aStep, { maxLength: 15 }),
				habits,
				async (happenings, steps, ways) => {
					const world = new World(happenings, settingsOf({ lookBackMs, ...more }), ways);
					await live(world, steps, END);
					const expected = happenings.filter(({ appearsAt }) => firstRun || appearsAt > START);
					const form = firstRun ? bag : apart;
					expect(form(world.emitted)).toEqual(form(expected.map(({ record }) => record)));
				},
			),
			{ numRuns: times(20, 100) },
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

	it('takes a record whose extra fields or recording change later for the same record', async () => {
		const at = START + MINUTE;
		const first = happening(at, { cost: '0' });
		const world = new World([first, happening(at, { cost: '7' }, at + 5 * MINUTE)], settingsOf({}));
		await world.pollFor(3);
		first.record = cdrOf(at, { cost: '1', REC_FILE: 'a.mp3', REC_LINK: 'https://r.example/' });
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
