import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { advance } from './advance';
import { passes } from '../../records/callFilter';
import { knowsEnough, NO_HABIT, noteAlone, noteFirstLegs } from './habit';
import type { Habit, Progress } from './progress';
import { beginAt } from './progress';
import type { Found, Unit } from './units';
import { findUnits } from './units';
import type { Polled } from './catchUp';
import { catchUp, longestWait, readRange } from './catchUp';
import { itemsOfUnits } from './tell';
import type { Work } from './work';

const DAY_MS = 86_400_000;
const LOOK_BACK_DAYS = [1, 7, 31];
const SAMPLES = 3;
/** Calls that ended so long ago got all their legs. */
const LONG_OVER_MS = 3_600_000;

/**
 * The first poll: takes what is there as handled and gives nothing, the last calls, or those since a date. What came after
 * `since` is new, as when an earlier try to begin has failed.
 *
 * @param source whose records they are, see `Progress`
 * @param since Unix milliseconds of the first try; undefined when this is the first
 */
export async function begin(work: Work, source: string, since?: number): Promise<Polled> {
	const { firstRun } = work.settings;
	if (firstRun.kind === 'since')
		return await catchUp(work, beginAt(source, firstRun.at, firstRun.at));
	const begun =
		firstRun.kind === 'last'
			? await beginWithLast(work, source, firstRun.count, since)
			: await beginNow(work, source, since);
	if (since === undefined) return begun;
	// A PBX that is slow may have no time left for this; what came since stays open.
	const caught = await catchUp(work, begun.progress).catch(() => undefined);
	return caught ? { ...caught, items: [...begun.items, ...caught.items] } : begun;
}

async function beginNow(work: Work, source: string, since: number | undefined): Promise<Polled> {
	const { overlapMs } = work.settings;
	const now = Date.now();
	const from = (since ?? now) - overlapMs;
	const start = beginAt(source, from, from);
	const found = await readUnits(work, start, now);
	const done = new Set(found.units.filter(isBefore(since)));
	const progress = advance(start, found, done, windowOf(work, start, now));
	return { items: [], progress: await withHabit(work, progress, found, now) };
}

async function beginWithLast(
	work: Work,
	source: string,
	count: number,
	since: number | undefined,
): Promise<Polled> {
	const now = Date.now();
	const isOld = isBefore(since);
	const { start, found, chosen } = await lookBack(work, source, { count, now, isOld });
	const done = new Set(found.units.filter(isOld));
	const items = await itemsOfUnits(work, chosen, chosen.length, () => false);
	for (const unit of chosen) if (!items.has(unit)) done.delete(unit);
	const progress = advance(start, found, done, windowOf(work, start, now));
	return {
		items: [...items.values()],
		progress: await withHabit(work, progress, found, now),
	};
}

/**
 * Tells what was there before the first try; all of it when this is the first. A unit without a time may be new, and so may
 * one of the same second, since records tell no parts of a second.
 */
function isBefore(since: number | undefined): (unit: Unit) => boolean {
	const second = Math.floor((since ?? Infinity) / 1000) * 1000;
	return ({ lastTime = Infinity }) => since === undefined || lastTime < second;
}

/** Learns from the calls that are over whether calls have a first leg here; where these tell nothing, from last week's. */
async function withHabit(
	work: Work,
	progress: Progress,
	found: Found & { records: IDataObject[] },
	now: number,
): Promise<Progress> {
	if (work.settings.kind !== 'call') return progress;
	const habit = habitOf(found, now);
	if (habit.wholeAt !== undefined || knowsEnough(habit) || work.span.until <= Date.now())
		return { ...progress, habit };
	const from = now - 7 * DAY_MS;
	try {
		const ofWeek = await readUnits(work, beginAt('', from, from), now);
		return { ...progress, habit: habitOf(ofWeek, now) };
	} catch {
		// It is learned later, too; the beginning must not fail for it.
		return { ...progress, habit };
	}
}

function habitOf({ units, records }: Found & { records: IDataObject[] }, now: number): Habit {
	const over = units.filter(({ lastTime = now }) => now - lastTime >= LONG_OVER_MS);
	return noteAlone(noteFirstLegs(NO_HABIT, records, now), over);
}

/** Reads all units from the start of a progress until now. */
async function readUnits(work: Work, start: Progress, now: number) {
	const records = await readRange(work, start.from, now + work.settings.overlapMs);
	return { records, ...findUnits(start, records, work.settings.kind) };
}

/**
 * Gives recent calls for "Fetch Test Event", without any progress.
 *
 * @throws NodeOperationError when there are none
 */
export async function sample(work: Work): Promise<INodeExecutionData[]> {
	const how = { count: SAMPLES, now: Date.now(), isOld: () => true };
	const { chosen } = await lookBack(work, '', how);
	const items = await itemsOfUnits(work, chosen, chosen.length, () => true);
	if (items.size > 0) return [...items.values()];

	const { kind } = work.settings;
	const what = { call: 'calls', record: 'call records', recording: 'recordings' }[kind];
	const description =
		chosen.length === 0
			? `The PBX has none from the last ${LOOK_BACK_DAYS.at(-1)} days that match the filters. Place a test call, or change the filters.`
			: 'The latest recordings did not arrive within a minute. Try again. The downloads continue in the background.';
	throw new NodeOperationError(work.context.getNode(), `There are no ${what} to show`, {
		description,
	});
}

/** Looks back a day, a week, a month, until there are enough. */
async function lookBack(
	work: Work,
	source: string,
	{ count, now, isOld }: { count: number; now: number; isOld: (unit: Unit) => boolean },
) {
	for (const days of LOOK_BACK_DAYS) {
		const from = now - days * DAY_MS;
		const start = beginAt(source, from, from);
		const found = await readUnits(work, start, now);
		const wanted = found.units
			.filter(isOld)
			.filter((unit) => passes(unit.legs, work.settings.filters));
		const isLast = days === LOOK_BACK_DAYS.at(-1);
		if (wanted.length >= count || isLast) return { start, found, chosen: wanted.slice(-count) };
	}
	throw new NodeOperationError(work.context.getNode(), 'No range to look back over');
}

function windowOf(work: Work, { from }: Progress, now: number) {
	const { overlapMs } = work.settings;
	return { from, until: now, now, overlapMs, waitMs: longestWait(work.settings) };
}
