import type { ShownByCalls } from '../../calls/leg';
import type { RecordedCall } from '../../calls/record';
import { groupByCall, lacksFirstLeg } from '../../calls/record';
import type { Cdr, CdrRecording } from '../../pbx/cdrs/cdr';
import { shortHash } from '../../pbx/cdrs/cdr';
import type { Progress } from './progress';
import type { Settings } from './settings';

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
	/** The same in every reading, and unlike any other of the node. */
	id: string;
	/** The open execution that it belongs to. */
	openId?: string | undefined;
	/** Its records that aren't handled yet, oldest first. */
	records: KeyedRecord[];
	/** All legs of the call in the window, oldest first; only itself for a call record. */
	legs: Cdr[];
	/** Facts that the calls read with it show about the account. */
	shown?: ShownByCalls | undefined;
	/** The earliest time when the first of them can have ended, and when the last one ended as far as known. */
	firstAt: number;
	lastAt: number;
	/** Whether other legs of the same call were handled before. */
	isLate: boolean;
	/** Set for a candidate that waits for its recording. */
	recording?: CdrRecording | undefined;
}

/**
 * Finds what a window contains that hasn't started the workflow yet, or is to start it again, oldest first. If several
 * records share a key, as many as were handled before count as handled.
 */
export function findCandidates(
	{ seen, open, reopened }: Pick<Progress, 'seen' | 'open' | 'reopened'>,
	records: readonly Cdr[],
	kind: EventKind,
): Candidate[] {
	const handled = new Map(Object.entries(seen).map(([key, [, count]]) => [key, count]));
	for (const [key, ids] of reopened) handled.set(key, (handled.get(key) ?? 0) - ids.length);
	const candidates = grouped(records, kind).flatMap((group) => {
		const fresh = new Map<string | undefined, KeyedRecord[]>();
		for (const one of group.keyed) {
			const count = handled.get(one.key) ?? 0;
			handled.set(one.key, count - 1);
			if (count > 0) continue;
			const openId = reopened.get(one.key)?.shift();
			const same = fresh.get(openId);
			if (same) same.push(one);
			else fresh.set(openId, [one]);
		}
		return [...fresh].map(([openId, keyed]): Candidate => {
			const isLate =
				openId === undefined
					? kind === 'newCall' && keyed.length < group.keyed.length
					: open[openId]?.isLate === true;
			const late = keyed.map(({ key }) => key).join();
			return {
				id: isLate ? shortHash(group.id + late) : group.id,
				openId,
				records: keyed,
				legs: group.legs,
				shown: group.shown,
				firstAt: Math.min(...keyed.map(({ earliest }) => earliest)),
				lastAt: Math.max(...keyed.map(({ at }) => at)),
				isLate,
				recording: group.recording,
			};
		});
	});
	return candidates.sort((a, b) => a.lastAt - b.lastAt);
}

/** The records that form a candidate, handled or not. */
interface Group {
	id: string;
	/** Oldest first. */
	keyed: KeyedRecord[];
	/** The legs that the candidate shows, oldest first. */
	legs: Cdr[];
	shown?: ShownByCalls;
	recording?: CdrRecording;
}

function keyedRecord(record: Cdr, key = record.key): KeyedRecord {
	const now = Date.now();
	const stamp = record.stampedAt ?? now;
	const latest = stamp + record.durationSeconds * 1000;
	return { record, key, at: record.endedAt ?? now, earliest: stamp, latest };
}

function grouped(records: readonly Cdr[], kind: EventKind): Group[] {
	if (kind === 'newCallRecord') return recordGroups(records);
	const calls = groupByCall(records);
	if (kind === 'recordingReady') return recordingGroups(calls);
	return numbered(
		calls.map(({ callId, legs, shown }) => {
			const keyed = legs.map((record) => keyedRecord(record));
			const key = keyed[0]?.key ?? '';
			// A Bridge-ID can return after hours, for another call, so the oldest leg belongs to the identity.
			return { id: callId === undefined ? key : shortHash(callId + key), keyed, legs, shown };
		}),
	);
}

function recordGroups(records: readonly Cdr[]): Group[] {
	return numbered(
		records.map((record) => ({ id: record.key, keyed: [keyedRecord(record)], legs: [record] })),
	);
}

/** Returns the groups, each with an ID of its own, even for records that are equal in every field. */
function numbered(groups: Group[]): Group[] {
	const counts = new Map<string, number>();
	return groups.map((group) => {
		const count = counts.get(group.id) ?? 0;
		counts.set(group.id, count + 1);
		return count === 0 ? group : { ...group, id: shortHash(`${group.id}/${count}`) };
	});
}

/** Both legs of a call can name the same recording. */
function recordingGroups(calls: readonly RecordedCall[]): Group[] {
	const groups = new Map<string, Group>();
	for (const { legs, shown } of calls) {
		const named = legs.flatMap((record) =>
			record.recordings.map((recording) => ({ record, recording })),
		);
		for (const { record, recording } of named) {
			const id = shortHash(recording.address);
			if (!groups.has(id))
				groups.set(id, { id, keyed: [keyedRecord(record, id)], legs, shown, recording });
		}
	}
	return [...groups.values()];
}

/** How long to wait for further legs after the last change, in milliseconds. Only tests override it. */
export const WAITS = { settleMs: 15_000 };

/** `settling`: needs only time without a change. `waiting`: lacks the leg that began the call. */
export type Completeness = 'complete' | 'settling' | 'waiting';

/**
 * Returns whether a call has all its legs. It waits for its first leg, which is recorded when the call ends, as long as
 * records can be late.
 */
export function completenessOf(
	candidate: Candidate,
	progress: Pick<Progress, 'newest' | 'pending'>,
	{ hasOnlyPhoneLegs, lookBackMs }: Pick<Settings, 'hasOnlyPhoneLegs' | 'lookBackMs'>,
): Completeness {
	const { waitedMs, settledMs } = waitOf(candidate, progress, lookBackMs);
	const isLacking = !hasOnlyPhoneLegs && !candidate.isLate && lacksFirstLeg(candidate.legs);
	if (isLacking && waitedMs < lookBackMs) return 'waiting';
	return settledMs < WAITS.settleMs ? 'settling' : 'complete';
}

/**
 * Returns how long a candidate has been waiting, and without growing: by this process, whose monotonic clock
 * can't be set, or at least as long as the PBX's newer records show.
 */
export function waitOf(
	{ id, legs, lastAt }: Candidate,
	{ newest, pending }: Pick<Progress, 'newest' | 'pending'>,
	lookBackMs: number,
): { waitedMs: number; settledMs: number } {
	const now = performance.now();
	const known = pending.get(id);
	const hasGrown = known?.legs !== legs.length;
	const { since = now, changedAt = now, triedAt = 0 } = known ?? {};
	const one = { since, changedAt: hasGrown ? now : changedAt, legs: legs.length, triedAt };
	pending.set(id, one);
	const age = newest - lastAt - lookBackMs;
	return { waitedMs: Math.max(now - since, age), settledMs: Math.max(now - one.changedAt, age) };
}
