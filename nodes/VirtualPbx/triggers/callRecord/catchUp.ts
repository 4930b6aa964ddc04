import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readCdrs } from '../../records/readCdrs';
import { unixToGregorian } from '../../values/time';
import { advance } from './advance';
import { firstLegWait, NO_HABIT, noteAlone, noteFirstLegs } from './habit';
import type { Progress } from './progress';
import type { Settings } from './settings';
import { tellUnits } from './tell';
import { findUnits } from './units';
import type { Span, Work } from './work';

const DAY_MS = 86_400_000;
const WINDOW_SECONDS = 7 * 86_400;
const MAX_STEPS = 31;

/** A longer settle time is not waited for within a poll. */
const LONGEST_PAUSE_MS = 30_000;
/** Time that looking again may take. */
const LOOK_MS = 1000;

/** What a poll gives, and what it leaves for the next one. */
export interface Polled {
	items: INodeExecutionData[];
	progress: Progress;
}

/**
 * Reads what came since the last poll and the overlap before it, and tells what is complete. After a long pause it goes
 * on in steps of about a day, until it has arrived at now, has as many items as one run may give, or the time of the poll
 * is over. Where calls have only just ended, it waits for the settle time once and looks again, so that they need not wait
 * for the next poll.
 *
 * @throws NodeApiError from the transport when the first step fails; the progress then stays as it was
 */
export async function catchUp(work: Work, start: Progress): Promise<Polled> {
	const { maxItems, settleMs } = work.settings;
	const items: INodeExecutionData[] = [];
	let progress = start;
	let hasWaited = false;
	for (let steps = 0; steps < MAX_STEPS; steps++) {
		const step = await takeStep(work, progress, maxItems - items.length, steps === 0);
		if (!step) break;
		const isStuck = step.progress.watermark === progress.watermark;
		items.push(...step.items);
		progress = step.progress;
		if (items.length >= maxItems || (isStuck && !step.isLast)) break;
		if (!step.isLast && timeLeft(work.span) > 0) continue;
		if (hasWaited || !step.isSettling || !hasTimeToSettle(work)) break;
		hasWaited = true;
		await work.wait(settleMs + 50);
	}
	return { items, progress };
}

interface Step extends Polled {
	/** It has arrived at now. */
	isLast: boolean;
	/** Calls lack nothing but the settle time, or so it seems. */
	isSettling: boolean;
}

/** One step of {@link catchUp}; undefined for a further one that failed: what there is already is given. */
async function takeStep(
	work: Work,
	progress: Progress,
	room: number,
	isFirst: boolean,
): Promise<Step | undefined> {
	const { overlapMs, kind } = work.settings;
	const waitMs = longestWait(work.settings);
	const now = Date.now();
	const from = Math.max(progress.from, progress.watermark - overlapMs);
	const target = Math.max(now, progress.watermark);
	const until = Math.min(target, progress.watermark + DAY_MS + waitMs);
	const isLast = until === target;
	const reading = readRange(work, from, until + overlapMs);
	const records = isFirst ? await reading : await reading.catch(() => undefined);
	if (!records) return undefined;
	const found = findUnits(progress, records, kind);
	const habit = noteFirstLegs(progress.habit ?? NO_HABIT, records, now);
	const firstLegMs = firstLegWait(habit, found, progress.waiting, {
		now,
		firstLegMs: work.settings.firstLegMs,
	});
	const patience = { ...work.settings, firstLegMs };
	const due = isLast ? found.units : found.units.filter(({ lastTime = 0 }) => lastTime <= until);
	const { items, done } = await tellUnits(work, due, progress, { now, room, patience });
	const next = advance(progress, found, done, { from, until, now, overlapMs, waitMs });
	return {
		items,
		progress: kind === 'call' ? { ...next, habit: noteAlone(habit, done) } : next,
		isLast,
		isSettling: found.units.some(
			(unit) => !done.has(unit) && (unit.isWhole || unit.isLate || firstLegMs === undefined),
		),
	};
}

function hasTimeToSettle({ settings: { kind, settleMs }, span }: Work): boolean {
	return kind === 'call' && settleMs <= Math.min(LONGEST_PAUSE_MS, timeLeft(span) - LOOK_MS);
}

function timeLeft({ until }: Span): number {
	return until - Date.now();
}

/** How long after its time a record may still have to be waited for, in milliseconds. */
export function longestWait({ overlapMs, settleMs, firstLegMs, giveUpMs }: Settings): number {
	return overlapMs + Math.max(settleMs, firstLegMs, giveUpMs);
}

/** Reads the CDRs of a range in Unix milliseconds. */
export async function readRange(work: Work, from: number, to: number): Promise<IDataObject[]> {
	return await readCdrs(work.pbx, {
		from: unixToGregorian(Math.floor(from / 1000)),
		to: unixToGregorian(Math.ceil(to / 1000)),
		accountId: work.settings.accountId,
		windowSeconds: WINDOW_SECONDS,
	});
}
