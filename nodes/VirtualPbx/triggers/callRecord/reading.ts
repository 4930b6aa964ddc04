import { lacksFirstLeg, legProfileOf } from '../../calls/legProfile';
import type { LegProfile } from '../../calls/legProfile';
import type { Cdr } from '../../pbx/cdrs/cdr';
import { DAY_MS, unixToGregorian } from '../../util/time';
import type { Candidate, Found, KeyedRecord } from './candidates';
import { findCandidates, pendingOf, WAITS } from './candidates';
import { corrected, provenTime, pollTimeOf } from './cursor';
import type { Cursor, PollTime, SeenRecords } from './cursor';
import type { Emitted } from './items';
import { emit } from './items';
import type { PollContext, Settings } from './settings';

const WEEK_MS = 7 * DAY_MS;

/** A range in Unix milliseconds. Reading continues an overlap beyond `until`, since the PBX's clock can be ahead. */
export interface Window extends PollTime {
	from: number;
	until: number;
}

/** Returns how far everything has been read, even if the PBX has gone silent. */
export function reachOf({ until, readTo = until }: Cursor): number {
	return Math.max(until, readTo);
}

/** How to read a window. */
interface Reading {
	/** How many items at most. */
	room: number;
	/** Whether the cursor was new when the poll began. */
	isNew: boolean;
	/** How much of the unread time to read, in milliseconds. */
	lengthMs: number;
}

/** Reads the records of a poll's window (GET `cdrs`, §4.3), bounded by time and number. Throws PbxError. */
export async function readWindow(
	poll: PollContext,
	before: Cursor,
	{ room, isNew, lengthMs }: Reading,
) {
	const { settings, intervalMs } = poll;
	const { kind, overlapMs } = settings;
	const polled = pollTimeOf(before, intervalMs);
	const cursor = corrected(before, polled.now, overlapMs);
	const target = Math.max(polled.now, cursor.until);
	const until = Math.min(target, reachOf(cursor) + lengthMs + longestWait(settings));
	const isLast = until === target;
	const records = await readRecords(poll, [cursor.from, until + overlapMs]);
	const clock = provenTime(cursor, polled, { records, overlapMs });
	// A new cursor knows no clock but n8n's.
	const now = isNew ? polled.now : (clock ?? polled.now);
	const found = findCandidates(cursor.seen, records, kind, now);
	const known = { ...cursor.profile, ...legProfileOf(records, now) };
	const profile = await completeProfile(poll, known, found.candidates, now);
	const learned = { ...cursor, profile, clock };
	const due = isLast ? found.candidates : found.candidates.filter(({ lastAt }) => lastAt <= until);
	const time = { now, passedMs: polled.passedMs };
	const emitted = await emit(poll, due, { cursor: learned, room, ...time });
	const window = { from: cursor.from, until, ...time };
	const { items, isSettling } = emitted;
	const after = advance(poll, learned, { found, emitted, window });
	const isSilent = found.candidates.length === 0;
	return { items, isSettling, isSilent, isLast, cursor: { ...after, polledAt: polled.now } };
}

/** If a window's records don't show which calls have a first leg, last week's might. */
async function completeProfile(
	poll: PollContext,
	known: LegProfile,
	candidates: readonly Candidate[],
	now: number,
): Promise<LegProfile> {
	const isUnknown = ({ legs }: Candidate) => lacksFirstLeg(legs, known) === undefined;
	if (poll.settings.kind === 'newCallRecord' || !candidates.some(isUnknown)) return known;
	const records = await readRecords(poll, [now - WEEK_MS, now]).catch(() => []);
	return { ...legProfileOf(records, now), ...known };
}

/** Returns how long after its time a candidate can still be waiting, in milliseconds. */
function longestWait({ overlapMs, giveUpMs }: Settings): number {
	return overlapMs + Math.max(overlapMs, giveUpMs, WAITS.unknownMs);
}

/** Reads the CDRs of a range in Unix milliseconds. */
export async function readRecords(poll: PollContext, [from, to]: [number, number]): Promise<Cdr[]> {
	const query = {
		from: unixToGregorian(Math.floor(from / 1000)),
		to: unixToGregorian(Math.ceil(to / 1000)),
		windowSeconds: WEEK_MS / 1000,
	};
	return await poll.pbx.cdrs.list(query);
}

/**
 * Moves the cursor to the end of a window, but not past an open candidate or the time that the PBX's records prove. The
 * next window begins an overlap before it.
 */
export function advance(
	{ settings }: Pick<PollContext, 'settings'>,
	cursor: Cursor,
	read: { found: Found; emitted: Pick<Emitted, 'done' | 'tried'>; window: Window },
): Cursor {
	const { found, emitted, window } = read;
	const open = found.candidates.filter((candidate) => !emitted.done.has(candidate));
	const readTo = open.reduce((least, { firstAt }) => Math.min(least, firstAt), window.until);
	const reached = Math.min(readTo, cursor.clock ?? window.until);
	const from = Math.max(window.from, reached - settings.overlapMs);
	const handled = [...found.handled, ...[...emitted.done].flatMap(({ records }) => records)];
	const waiting = open.filter(({ lastAt }) => lastAt > window.now - longestWait(settings));
	return {
		...cursor,
		until: Math.max(cursor.until, reached),
		from,
		readTo,
		seen: mostOf(
			after(from - 1000, cursor.seen),
			after(from - settings.overlapMs, counted(handled)),
		),
		pending: Object.fromEntries(
			waiting.map((candidate) => {
				const pending = pendingOf(candidate, cursor.pending, window.passedMs);
				return [
					candidate.id,
					emitted.tried.has(candidate) ? { ...pending, triedAt: window.now } : pending,
				];
			}),
		),
	};
}

function counted(records: readonly KeyedRecord[]): SeenRecords {
	const counts = new Map<string, [number, number]>();
	for (const { key, latest } of records)
		counts.set(key, [Math.floor(latest / 1000), (counts.get(key)?.[1] ?? 0) + 1]);
	return Object.fromEntries(counts);
}

/** Merges both. A window can contain fewer records of a key than were handled, so the higher count wins. */
function mostOf(before: SeenRecords, now: SeenRecords): SeenRecords {
	const merged = { ...before, ...now };
	for (const [key, [endedAt, count]] of Object.entries(now))
		merged[key] = [endedAt, Math.max(count, before[key]?.[1] ?? 0)];
	return merged;
}

function after(unixMs: number, seen: SeenRecords): SeenRecords {
	return Object.fromEntries(
		Object.entries(seen).filter(([, [endedAt]]) => endedAt * 1000 > unixMs),
	);
}
