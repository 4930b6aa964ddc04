import type { LegProfile } from '../../calls/legProfile';
import { lacksFirstLeg } from '../../calls/legProfile';
import type { RecordedCall } from '../../calls/record';
import { groupByCall } from '../../calls/record';
import type { Cdr, CdrRecording } from '../../pbx/cdrs/cdr';
import { shortHash } from '../../pbx/cdrs/cdr';
import type { Pending, SeenRecords } from './cursor';

/** The kinds of things that start the workflow, each once: the choices of Event. */
export type EventKind = 'newCall' | 'newCallRecord' | 'recordingReady';

/** A record with its key. */
export interface KeyedRecord {
	record: Cdr;
	key: string;
	/** When its leg ended, in Unix milliseconds; now if the PBX doesn't say. */
	at: number;
	/** Its earliest and latest possible values: TIMESTAMP can be when the call began. */
	earliest: number;
	latest: number;
}

/** One potential start of the workflow. Times are Unix milliseconds. */
export interface Candidate {
	/** The same in every poll. */
	id: string;
	/** Its records that aren't handled yet, oldest first. */
	records: KeyedRecord[];
	/** All legs of the call in the window, oldest first; only itself for a call record. */
	legs: Cdr[];
	/** The earliest time when the first of them can have ended, and when the last one ended as far as known. */
	firstAt: number;
	lastAt: number;
	/** Whether other legs of the same call were handled before. */
	isLate: boolean;
	/** Set for a candidate that waits for its recording. */
	recording?: CdrRecording | undefined;
}

/** The contents of a window: unhandled candidates, oldest first, and handled records. */
export interface Found {
	candidates: Candidate[];
	handled: KeyedRecord[];
}

/**
 * Finds the new candidates in a window. If several records share a key, as many as were handled before count as
 * handled.
 */
export function findCandidates(
	seen: SeenRecords,
	records: readonly Cdr[],
	kind: EventKind,
	now: number,
): Found {
	const left = new Map(Object.entries(seen).map(([key, [, count]]) => [key, count]));
	const handled: KeyedRecord[] = [];
	const candidates: Candidate[] = [];
	for (const group of grouped(records, kind, now)) {
		const fresh = group.keyed.filter((one) => {
			const count = left.get(one.key) ?? 0;
			left.set(one.key, count - 1);
			if (count > 0) handled.push(one);
			return count <= 0;
		});
		const [first] = fresh;
		if (!first) continue;
		const isCall = kind === 'newCall';
		candidates.push({
			id: isCall && group.id !== undefined ? shortHash(group.id) : first.key,
			records: fresh,
			legs: group.legs,
			firstAt: Math.min(...fresh.map(({ earliest }) => earliest)),
			lastAt: Math.max(...fresh.map(({ at }) => at)),
			isLate: isCall && fresh.length < group.keyed.length,
			recording: group.recording,
		});
	}
	return { candidates: candidates.sort((a, b) => a.lastAt - b.lastAt), handled };
}

/** The records that form a candidate, handled or not. */
interface Group {
	/** Set if the call has an ID. */
	id?: string | undefined;
	/** Oldest first. */
	keyed: KeyedRecord[];
	/** The legs that the candidate shows, oldest first. */
	legs: Cdr[];
	recording?: CdrRecording;
}

function grouped(records: readonly Cdr[], kind: EventKind, now: number): Group[] {
	const keyed = (record: Cdr, key = record.key): KeyedRecord => {
		const stamp = record.stampedAt ?? now;
		const latest = stamp + record.durationSeconds * 1000;
		return { record, key, at: record.endedAt ?? now, earliest: stamp, latest };
	};
	if (kind === 'newCallRecord')
		return records.map((record) => ({ keyed: [keyed(record)], legs: [record] }));
	const calls = groupByCall(records);
	if (kind === 'newCall')
		return calls.map(({ callId: id, legs }) => ({
			id,
			keyed: legs.map((record) => keyed(record)),
			legs,
		}));
	return recordingGroups(calls, keyed);
}

/** Both legs of a call can name the same recording. */
function recordingGroups(
	calls: readonly RecordedCall[],
	keyed: (record: Cdr, key: string) => KeyedRecord,
): Group[] {
	const groups = new Map<string, Group>();
	for (const { legs } of calls) {
		const named = legs.flatMap((record) =>
			record.recordings.map((recording) => ({ record, recording })),
		);
		for (const { record, recording } of named) {
			const { address } = recording;
			if (!groups.has(address))
				groups.set(address, { keyed: [keyed(record, shortHash(address))], legs, recording });
		}
	}
	return [...groups.values()];
}

/** How long to wait for missing parts of a call, in milliseconds. Only tests override it. */
export const WAITS = {
	/** For further legs, after the last change. */
	settleMs: 15_000,
	/** For a first leg, if it is unknown whether the account's calls have one. */
	unknownMs: 3_600_000,
};

/** `settling`: needs only time without a change. `waiting`: lacks the leg that began the call. */
export type Completeness = 'complete' | 'settling' | 'waiting';

/**
 * Returns whether a call has all its legs. It waits for its first leg as long as the overlap, which covers the longest
 * call, or for `WAITS.unknownMs` if the account's calls might have none. `now` is the PBX's time.
 */
export function completenessOf(
	candidate: Candidate,
	{ waitedMs, settledMs }: Pending,
	profile: LegProfile,
	{ now, overlapMs }: { now: number; overlapMs: number },
): Completeness {
	const age = ageOf(candidate, now, overlapMs);
	const lacking = candidate.isLate ? false : lacksFirstLeg(candidate.legs, profile);
	const waitMs = lacking === undefined ? WAITS.unknownMs : overlapMs;
	if (lacking !== false && Math.max(waitedMs, age) < waitMs) return 'waiting';
	return Math.max(settledMs, age) < WAITS.settleMs ? 'settling' : 'complete';
}

/** Returns a candidate's minimum age in milliseconds, whatever the clock difference; negative if it might be new. */
export function ageOf({ lastAt }: Candidate, now: number, overlapMs: number): number {
	return now - lastAt - overlapMs;
}

/**
 * Returns how long a candidate has been waiting, adding the time since the last reading. Starts at zero for a new
 * candidate.
 */
export function pendingOf(
	{ id, legs }: Candidate,
	pending: Record<string, Pending>,
	passedMs: number,
): Pending {
	const before = pending[id];
	const hasGrown = before?.legs !== legs.length;
	return {
		...before,
		waitedMs: before ? (before.waitedMs ?? 0) + passedMs : 0,
		settledMs: hasGrown ? 0 : (before.settledMs ?? 0) + passedMs,
		legs: legs.length,
	};
}
