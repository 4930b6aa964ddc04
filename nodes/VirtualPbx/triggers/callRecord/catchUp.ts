import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { advance } from '../../records/advance';
import type { Progress } from '../../records/progress';
import { readCdrs } from '../../records/readCdrs';
import type { Unit } from '../../records/units';
import { findUnits } from '../../records/units';
import { unixToGregorian } from '../../values/time';
import type { Settings } from './settings';
import type { Work } from './tell';
import { tellUnits } from './tell';

const DAY_MS = 86_400_000;
const WINDOW_SECONDS = 7 * 86_400;
const MAX_STEPS = 31;

/** A longer settle time is not waited for within a poll. */
const LONGEST_PAUSE_MS = 30_000;

/** What a poll gives, and what it leaves for the next one. */
export interface Polled {
	items: INodeExecutionData[];
	progress: Progress;
}

/**
 * Reads what came since the last poll and the overlap before it, and tells what is complete. After a long pause it goes
 * on in steps of about a day, until it has arrived at now or has as many items as one run may give. Where calls have only
 * just ended, it waits for the settle time once and looks again, so that they need not wait for the next poll.
 *
 * @throws NodeApiError from the transport; the progress then stays as it was
 */
export async function catchUp(work: Work, start: Progress): Promise<Polled> {
	const { overlapMs, kind, maxItems, settleMs } = work.settings;
	const waitMs = longestWait(work.settings);
	const items: INodeExecutionData[] = [];
	let progress = start;
	let hasWaited = false;
	for (let step = 0; step < MAX_STEPS; step++) {
		const now = Date.now();
		const from = Math.max(progress.from, progress.watermark - overlapMs);
		const target = Math.max(now, progress.watermark);
		const until = Math.min(target, progress.watermark + DAY_MS + waitMs);
		const records = await readRange(work, from, until + overlapMs);
		const found = findUnits(progress, records, kind);

		const isLast = until === target;
		const due = isLast ? found.units : found.units.filter(({ lastTime = 0 }) => lastTime <= until);
		const told = await tellUnits(work, due, progress, { now, room: maxItems - items.length });
		const next = advance(progress, found, told.done, { from, until, now, overlapMs, waitMs });
		const isStuck = next.watermark === progress.watermark;
		items.push(...told.items);
		progress = next;
		if (items.length >= maxItems || (isStuck && !isLast)) break;
		if (!isLast) continue;
		const isSettling = found.units.some((unit) => !told.done.has(unit) && mayBeWhole(unit));
		if (hasWaited || !isSettling || kind !== 'call' || settleMs > LONGEST_PAUSE_MS) break;
		hasWaited = true;
		await work.wait(settleMs + 50);
	}
	return { items, progress };
}

/** Only the settle time is missing, or so it seems. */
function mayBeWhole({ isWhole, isLate }: Unit): boolean {
	return isWhole || isLate;
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
