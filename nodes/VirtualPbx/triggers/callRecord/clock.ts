import type { Cdr } from '../../pbx/cdrs/cdr';
import type { Cursor } from './cursor';

const MINUTE_MS = 60_000;
/** The lowest cap on the time between two polls, whatever their interval. */
const LEAST_PAUSE_MS = 5 * MINUTE_MS;
/** The longest pause that n8n can make after a failed poll. */
const LONGEST_PAUSE_MS = 60 * MINUTE_MS;
/** Ignores smaller clock corrections. */
const JUMP_MS = MINUTE_MS;

/** The time of one reading, in Unix milliseconds. n8n's clock can jump, and the PBX's can differ. */
export interface PollTime {
	/** n8n's clock. */
	now: number;
	/** The waiting time since the last reading, capped by the polling interval. */
	passedMs: number;
}

/** Reads n8n's clock. Caps clock jumps and long pauses at twice the polling interval. */
export function pollTimeOf({ polledAt }: Cursor, intervalMs = LONGEST_PAUSE_MS): PollTime {
	const now = Date.now();
	const most = Math.max(2 * intervalMs, LEAST_PAUSE_MS);
	return { now, passedMs: Math.min(Math.max(now - (polledAt ?? now), 0), most) };
}

/**
 * Returns the PBX's time as far as its records prove it: the newest record's, or the last reading's plus the time
 * since, never ahead of n8n's clock. So a poll with a wrong clock skips no record: it is off by at most half the
 * overlap, which the next window covers. Undefined without any record.
 */
export function provenTime(
	{ clock = -Infinity }: Pick<Cursor, 'clock'>,
	{ now, passedMs }: PollTime,
	{ records, overlapMs }: { records: readonly Cdr[]; overlapMs: number },
): number | undefined {
	const stepped = clock + Math.min(passedMs, overlapMs / 2);
	const proven = records.reduce((last, one) => Math.max(last, one.stampedAt ?? last), stepped);
	return proven === -Infinity ? undefined : Math.min(proven, now);
}

/** Returns how far n8n's clock has gone back since the last poll, in milliseconds; 0 if less than a minute. */
export function setBackMs({ polledAt = 0, clock, until }: Cursor, now: number): number {
	const last = clock === undefined ? Math.max(polledAt, until) : polledAt;
	return last - now > JUMP_MS ? last - now : 0;
}

/**
 * Corrects a cursor that no record proves and that is in the future, since n8n's clock was ahead when it was created.
 * Other cursors follow the PBX's records, whatever n8n's clock says.
 */
export function corrected(cursor: Cursor, now: number, overlapMs: number): Cursor {
	if (cursor.clock !== undefined || cursor.until <= now + JUMP_MS) return cursor;
	return { ...cursor, until: now, from: Math.min(cursor.from, now - overlapMs) };
}
