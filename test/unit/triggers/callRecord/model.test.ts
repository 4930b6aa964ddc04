import type { IDataObject } from 'n8n-workflow';

import { randomOf } from '../../../support/random';
import { IS_RELEASE } from '../../../support/release';
import { happening, settingsOf, START, World } from './world';
import type { Happening } from './world';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SEEDS = [1, 7, 42, 2026];

/** What differs between PBXs of the family. */
interface Kind {
	/** Which legs of a call are recorded. */
	legs: 'both' | 'first' | 'outbound';
	/** What TIMESTAMP is. */
	stamp: 'begin' | 'end';
	pageKey: 'place' | 'time';
	/** How far the PBX's clock is off. */
	clockMs: number;
}

interface Call {
	id: string;
	endsAt: number;
	legs: Happening[];
}

/** A day of calls: of seconds to hours, answered and missed, of all types, with some records that come late. */
function callsOf(random: () => number, kind: Kind): Call[] {
	const between = (least: number, most: number) => Math.floor(least + random() * (most - least));
	const calls: Call[] = [];
	for (let at = START - 3 * HOUR; at < START + 24 * HOUR; at += between(5, 600) * SECOND) {
		const id = `${calls.length}@10.0.0.5`;
		const isMissed = random() < 0.25;
		// Every call ends within the day.
		const isLong = random() < 0.03 && at < START + 17 * HOUR;
		const talk = isMissed ? 0 : isLong ? between(7000, 22_000) : between(5, 900);
		const ringing = between(2, 40);
		const endsAt = at + (ringing + talk) * SECOND;
		const lateMs = random() < 0.05 ? between(0, 50) * MINUTE : between(0, 5) * SECOND;
		const [caller, callee] = [
			['17185550122', '100'],
			['17185550122', '100'],
			['101', '100'],
			['100', '17185550145'],
		][between(0, 4)] as [string, string];
		const leg = (
			direction: string,
			seconds: number,
			more: IDataObject,
			end = endsAt,
		): Happening => {
			const filedAt = end + kind.clockMs;
			const stampedAt = kind.stamp === 'end' ? filedAt : filedAt - seconds * SECOND;
			return {
				...happening(stampedAt, {
					...{ CALL_DIRECTION: direction, BRIDGE_ID: id },
					...{ CALLER_ID_NUMBER: caller, CALLEE_ID_NUMBER: callee },
					...{ BILLING_SECONDS: String(talk), DURATION_SECONDS: String(seconds), ...more },
				}),
				foundBy: filedAt,
				appearsAt: end + lateMs + between(0, 3) * SECOND,
			};
		};
		const legs: Happening[] = [];
		if (kind.legs !== 'outbound') legs.push(leg('inbound', ringing + talk, { CALL_ID: id }));
		if (kind.legs !== 'first') {
			legs.push(leg('outbound', between(1, ringing) + talk, { CALL_ID: `${id}-b` }));
			// Where the first leg is recorded, another phone may have rung before; the look-back time covers the call.
			const rangBefore = kind.legs === 'both' && talk < 6000 && random() < 0.3;
			if (rangBefore && callee === '100')
				legs.push(leg('outbound', 1, { CALL_ID: `${id}-c`, BILLING_SECONDS: '0' }, at + SECOND));
		}
		calls.push({ id, endsAt, legs });
	}
	return calls;
}

/**
 * Polls every other minute for a day and its aftermath, while clocks jump, the PBX fails, n8n is killed or down.
 */
async function live(world: World, random: () => number): Promise<void> {
	const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
	/** Whether something with this probability happens now; never after the day. */
	const happens = (probability: number) => world.now < START + 24 * HOUR && random() < probability;
	let [jumpEndsAt, outageEndsAt] = [0, 0];
	await world.poll();
	while (world.now < START + 28 * HOUR) {
		world.now += happens(0.002) ? 90 * MINUTE : 2 * MINUTE;
		if (world.now >= jumpEndsAt) world.clockOffMs = 0;
		if (happens(0.01)) {
			world.clockOffMs = oneOf([24 * HOUR, -24 * HOUR, 3 * HOUR, -HOUR, 20 * SECOND]);
			jumpEndsAt = world.now + (random() < 0.7 ? 1 : 40) * MINUTE;
		}
		if (happens(0.005)) outageEndsAt = world.now + 20 * MINUTE;
		world.failNext = world.now < outageEndsAt ? 1 : 0;
		if (happens(0.01)) await world.restart();
		if (happens(0.02))
			world.death = {
				after: Math.floor(random() * 4),
				at: oneOf(['beforeSaving', 'beforeStoring', 'whileRunning'] as const),
			};
		await world.poll();
	}
}

async function outcomeOf(seed: number, kind: Kind) {
	const random = randomOf(seed);
	const calls = callsOf(random, kind);
	const world = new World(
		calls.flatMap(({ legs }) => legs),
		settingsOf({ kind: 'newCall', hasOnlyPhoneLegs: kind.legs === 'outbound' }),
		undefined,
		kind.stamp,
	);
	world.pages = { size: 25, key: kind.pageKey };
	await live(world, random);

	const given = new Map<string, IDataObject[]>();
	for (const item of world.emitted) {
		const id = String(item.callId);
		given.set(id, [...(given.get(id) ?? []), item]);
	}
	// A call of which any leg was recorded before counts as known at the publication.
	const wanted = calls.filter(({ legs }) => legs.every(({ appearsAt }) => appearsAt > START));
	const known = calls.filter(({ legs }) => legs.every(({ appearsAt }) => appearsAt <= START));
	const isWhole = ({ id, legs }: Call) => {
		const [first] = given.get(id) ?? [];
		return first === undefined || (first.legs as unknown[]).length === legs.length;
	};
	return {
		calls: wanted.length,
		lost: wanted.filter(({ id }) => !given.has(id)).length,
		doubled:
			[...given.values()].filter(({ length }) => length > 1).length +
			known.filter(({ id }) => given.has(id)).length,
		incomplete: wanted.filter((call) => !isWhole(call)).length,
	};
}

describe('a day of calls, with clocks that jump, outages, kills, and pages', () => {
	const legs = ['both', 'first', 'outbound'] as const;
	const all = SEEDS.flatMap((seed, n) =>
		legs.map((which, m): [number, Kind] => [
			seed,
			{
				legs: which,
				stamp: (n + m) % 2 === 0 ? 'begin' : 'end',
				pageKey: (n >> 1) % 2 === m % 2 ? 'time' : 'place',
				clockMs: [0, HOUR, -HOUR, -5 * HOUR][(n + m) % 4] ?? 0,
			},
		]),
	);
	// Each kind of legs, of stamps, and of pages, on three clocks.
	const each = IS_RELEASE ? all : all.filter((_, index) => [0, 1, 5].includes(index));
	it.each(each)(
		'gives each call once and whole: seed %d, %j',
		async (seed, kind) => {
			const outcome = await outcomeOf(seed, kind);
			expect(outcome.calls).toBeGreaterThan(200);
			expect(outcome).toMatchObject({ lost: 0, doubled: 0, incomplete: 0 });
		},
		60_000,
	);
});
