import type { IDataObject } from 'n8n-workflow';

import { cdrRecording, cdrTime, groupByCall, recordKey, shortHash } from '../../records/cdr';
import type { LegProfile } from '../../records/legProfile';
import { lacksFirstLeg } from '../../records/legProfile';
import type { Pending, SeenRecords } from './cursor';

/** What starts the workflow once: the choices of Event. */
export type EventKind = 'newCall' | 'newCallRecord' | 'recordingReady';

/** A record with its key. */
export interface KeyedRecord {
	record: IDataObject;
	key: string;
	/** When its leg ended, in Unix milliseconds; now where the PBX does not tell. */
	at: number;
}

/** One thing to start the workflow for; times are Unix milliseconds. */
export interface Candidate {
	/** The same in every poll. */
	id: string;
	/** Its records that are not handled yet, the oldest first. */
	records: KeyedRecord[];
	/** All legs of the call that the window holds, the oldest first; of a call record itself alone. */
	legs: IDataObject[];
	firstAt: number;
	lastAt: number;
	/** Other legs of the same call were handled before. */
	isLate: boolean;
}

/** What a window holds: candidates that are not handled yet, the oldest first, and the records that are. */
export interface Found {
	candidates: Candidate[];
	handled: KeyedRecord[];
}

/** Finds what is new in a window. As many records with the same key as were handled before are taken for those. */
export function findCandidates(
	seen: SeenRecords,
	records: readonly IDataObject[],
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
			firstAt: Math.min(...fresh.map(({ at }) => at)),
			lastAt: Math.max(...fresh.map(({ at }) => at)),
			isLate: isCall && fresh.length < group.keyed.length,
		});
	}
	return { candidates: candidates.sort((a, b) => a.lastAt - b.lastAt), handled };
}

/** The records that make a candidate together, handled or not. */
interface Group {
	/** Of a call that has an ID. */
	id?: string | undefined;
	/** Oldest first. */
	keyed: KeyedRecord[];
	/** What the candidate shows, oldest first. */
	legs: IDataObject[];
}

function grouped(records: readonly IDataObject[], kind: EventKind, now: number): Group[] {
	const keyed = (record: IDataObject, key = recordKey(record)): KeyedRecord => ({
		record,
		key,
		at: cdrTime(record) ?? now,
	});
	if (kind === 'newCallRecord')
		return records.map((record) => ({ keyed: [keyed(record)], legs: [record] }));
	const calls = groupByCall(records);
	if (kind === 'newCall')
		return calls.map(({ callId: id, legs }) => ({
			id,
			keyed: legs.map((record) => keyed(record)),
			legs,
		}));
	// Both legs of a call may name the same recording.
	const groups = new Map<string, Group>();
	for (const { legs } of calls)
		for (const record of legs) {
			const address = cdrRecording(record)?.address;
			if (address !== undefined && !groups.has(address))
				groups.set(address, { keyed: [keyed(record, shortHash(address))], legs });
		}
	return [...groups.values()];
}

/** How long to wait for what belongs to a call, in milliseconds. Changed by tests only. */
export const WAITS = {
	/** For further legs, after the last change. */
	settleMs: 15_000,
	/** For a first leg where nothing tells whether the account's calls have one. */
	unknownMs: 3_600_000,
};

/** `settling` lacks nothing but time without a change; `waiting` lacks the leg that began the call. */
export type Completeness = 'complete' | 'settling' | 'waiting';

/** Tells whether a call has all its legs. It waits for the first one as long as the overlap, which covers the longest call. */
export function completenessOf(
	candidate: Candidate,
	{ since, changedAt }: Pending,
	profile: LegProfile,
	{ now, overlapMs }: { now: number; overlapMs: number },
): Completeness {
	const age = ageOf(candidate, now, overlapMs);
	const lacking = candidate.isLate ? false : lacksFirstLeg(candidate.legs, profile);
	const waitMs = lacking === undefined ? WAITS.unknownMs : overlapMs;
	if (lacking !== false && Math.max(now - since, age) < waitMs) return 'waiting';
	return Math.max(now - changedAt, age) < WAITS.settleMs ? 'settling' : 'complete';
}

/** How long ago a candidate ended at least, whatever the clocks differ, in milliseconds; negative where that is unknown. */
export function ageOf({ lastAt }: Candidate, now: number, overlapMs: number): number {
	return now - lastAt - overlapMs;
}

/** Since when a candidate is waited for: the former entry, with now as its last change if legs were added. */
export function pendingOf(
	{ id, legs }: Candidate,
	pending: Record<string, Pending>,
	now: number,
): Pending {
	const before = pending[id] ?? { since: now, changedAt: now, legs: legs.length };
	return before.legs === legs.length ? before : { ...before, changedAt: now, legs: legs.length };
}
