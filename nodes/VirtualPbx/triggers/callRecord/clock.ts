import type { IDataObject } from 'n8n-workflow';

import { cdrStamp } from '../../pbx/cdrs/cdrFields';
import type { Cursor } from './cursor';

const MINUTE_MS = 60_000;
/** Two polls may lie so far apart, whatever their times. */
const LEAST_PAUSE_MS = 5 * MINUTE_MS;
/** After a failed poll n8n may wait so long for the next one. */
const LONGEST_PAUSE_MS = 60 * MINUTE_MS;
/** Clocks are set right by less than this without a word. */
const JUMP_MS = MINUTE_MS;

/** The time of one reading, in Unix milliseconds. n8n's clock may jump, and the PBX's may differ from it. */
export interface Tick {
	/** n8n's clock. */
	now: number;
	/** How much waiting time has passed since the last reading: no more than the time between two polls explains. */
	passedMs: number;
}

/** Reads n8n's clock. A jump of it, or a long pause, counts as one interval of polling. */
export function tickOf({ polledAt }: Cursor, intervalMs = LONGEST_PAUSE_MS): Tick {
	const now = Date.now();
	const most = Math.max(2 * intervalMs, LEAST_PAUSE_MS);
	return { now, passedMs: Math.min(Math.max(now - (polledAt ?? now), 0), most) };
}

/**
 * The PBX's time, as far as its records prove it: that of the newest one, or what it was at the last reading and a poll's
 * time more; never ahead of n8n's clock. So a poll with a wrong clock leads past no record: at most half the overlap, which
 * the next window covers. Undefined without any record.
 */
export function provenTime(
	{ clock = -Infinity }: Pick<Cursor, 'clock'>,
	{ now, passedMs }: Tick,
	{ records, overlapMs }: { records: readonly IDataObject[]; overlapMs: number },
): number | undefined {
	const stepped = clock + Math.min(passedMs, overlapMs / 2);
	const proven = records.reduce((last, one) => Math.max(last, cdrStamp(one) ?? last), stepped);
	return proven === -Infinity ? undefined : Math.min(proven, now);
}

/** By how much n8n's clock has gone back since the last poll, in milliseconds; 0 for less than a minute. */
export function setBackMs({ polledAt = 0, clock, until }: Cursor, now: number): number {
	const last = clock === undefined ? Math.max(polledAt, until) : polledAt;
	return last - now > JUMP_MS ? last - now : 0;
}

/**
 * Corrects a cursor that no record proves and that lies in the future: n8n's clock was ahead when it was made. Others lie
 * where the PBX's records end, whatever n8n's clock says.
 */
export function corrected(cursor: Cursor, now: number, overlapMs: number): Cursor {
	if (cursor.clock !== undefined || cursor.until <= now + JUMP_MS) return cursor;
	return { ...cursor, until: now, from: Math.min(cursor.from, now - overlapMs) };
}
