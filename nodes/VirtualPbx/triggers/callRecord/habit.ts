import type { IDataObject } from 'n8n-workflow';

import { cdrText } from '../../records/cdr';
import { firstLegOf, talkTimeOf } from '../../records/call';
import type { Habit, Waiting } from './progress';
import type { Found, Unit } from './units';

/** So many calls without a first leg tell that there will be none. */
const ENOUGH = 3;
/** An account that had first legs has lost them only when none came for so long. */
const FORGET_MS = 7 * 86_400_000;
/** A call that was talked on, and of which nothing came for so long, goes without a first leg. */
const RIPE_MS = 600_000;
/** As long as nothing is known, calls wait no longer than this for their first leg. */
const UNKNOWN_MS = 55 * 60_000;

/** What is known before anything was seen. */
export const NO_HABIT: Habit = { alone: 0 };

/** Tells whether it is plain that calls have no first leg. */
export function knowsEnough({ alone }: Habit): boolean {
	return alone >= ENOUGH;
}

/**
 * Notes whether a window held first legs.
 *
 * @returns the habit, which forgets calls without a first leg as soon as one has it
 */
export function noteFirstLegs(habit: Habit, records: readonly IDataObject[], now: number): Habit {
	const hasFirst = records.some(
		(record) => cdrText(record, 'BRIDGE_ID') !== undefined && firstLegOf([record]) !== undefined,
	);
	return hasFirst ? { wholeAt: now, alone: 0 } : habit;
}

/** Counts calls that went without a first leg: those that were given, or are long over. */
export function noteAlone(habit: Habit, units: Iterable<Unit>): Habit {
	const count = [...units].filter((unit) => !unit.isLate && isAlone(unit)).length;
	return count === 0 ? habit : { ...habit, alone: Math.min(ENOUGH, habit.alone + count) };
}

/**
 * Tells how long to wait for first legs.
 *
 * @param waiting since when units are waited for
 * @param times now in Unix milliseconds, and the time to wait as the user has set it
 * @returns milliseconds; undefined where there is nothing to wait for
 */
export function firstLegWait(
	{ wholeAt, alone }: Habit,
	{ units }: Found,
	waiting: Record<string, Waiting>,
	{ now, firstLegMs }: { now: number; firstLegMs: number },
): number | undefined {
	if (wholeAt !== undefined && now - wholeAt < FORGET_MS) return firstLegMs;
	const ripe = units.filter((unit) => {
		const [, lastChange = now] = waiting[unit.id] ?? [];
		return isAlone(unit) && talkTimeOf(unit.legs) > 0 && now - lastChange >= RIPE_MS;
	});
	return alone + ripe.length >= ENOUGH ? undefined : Math.min(firstLegMs, UNKNOWN_MS);
}

function isAlone({ records }: Unit): boolean {
	const [first = {}] = records;
	return cdrText(first, 'BRIDGE_ID') !== undefined && firstLegOf(records) === undefined;
}
