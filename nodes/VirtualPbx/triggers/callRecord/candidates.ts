import type { IDataObject } from 'n8n-workflow';

import type { LegProfile } from '../../calls/legProfile';
import { lacksFirstLeg } from '../../calls/legProfile';
import type { CdrRecording } from '../../pbx/cdrs/cdr';
import { cdrRecordings, groupByCall, recordKey, shortHash } from '../../pbx/cdrs/cdr';
import { cdrTime, cdrDuration, cdrStamp } from '../../pbx/cdrs/cdrFields';
import type { Pending, SeenRecords } from './cursor';

/** What starts the workflow once: the choices of Event. */
export type EventKind = 'newCall' | 'newCallRecord' | 'recordingReady';

/** A record with its key. */
export interface KeyedRecord {
	record: IDataObject;
	key: string;
	/** When its leg ended, in Unix milliseconds; now where the PBX does not tell. */
	at: number;
	/** The same at the earliest and at the latest: TIMESTAMP may be when the call began. */
	earliest: number;
	latest: number;
}

/** One thing to start the workflow for; times are Unix milliseconds. */
export interface Candidate {
	/** The same in every poll. */
	id: string;
	/** Its records that are not handled yet, the oldest first. */
	records: KeyedRecord[];
	/** All legs of the call that the window holds, the oldest first; of a call record itself alone. */
	legs: IDataObject[];
	/** When the first of them ended at the earliest, and the last one as far as is known. */
	firstAt: number;
	lastAt: number;
	/** Other legs of the same call were handled before. */
	isLate: boolean;
	/** Of a candidate for its recording. */
	recording?: CdrRecording | undefined;
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
			firstAt: Math.min(...fresh.map(({ earliest }) => earliest)),
			lastAt: Math.max(...fresh.map(({ at }) => at)),
			isLate: isCall && fresh.length < group.keyed.length,
			recording: group.recording,
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
	recording?: CdrRecording;
}

function grouped(records: readonly IDataObject[], kind: EventKind, now: number): Group[] {
	const keyed = (record: IDataObject, key = recordKey(record)): KeyedRecord => {
		const stamp = cdrStamp(record) ?? now;
		const latest = stamp + cdrDuration(record) * 1000;
		return { record, key, at: cdrTime(record) ?? now, earliest: stamp, latest };
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

/** Both legs of a call may name the same recording. */
function recordingGroups(
	calls: ReturnType<typeof groupByCall>,
	keyed: (record: IDataObject, key: string) => KeyedRecord,
): Group[] {
	const groups = new Map<string, Group>();
	for (const { legs } of calls) {
		const named = legs.flatMap((record) =>
			cdrRecordings(record).map((recording) => ({ record, recording })),
		);
		for (const { record, recording } of named) {
			const { address } = recording;
			if (!groups.has(address))
				groups.set(address, { keyed: [keyed(record, shortHash(address))], legs, recording });
		}
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

/**
 * Tells whether a call has all its legs. It waits for the first one as long as the overlap, which covers the longest call.
 * `now` is the PBX's time.
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

/** How long ago a candidate ended at least, whatever the clocks differ, in milliseconds; negative where that is unknown. */
export function ageOf({ lastAt }: Candidate, now: number, overlapMs: number): number {
	return now - lastAt - overlapMs;
}

/** How long a candidate has been waited for, so much longer than at the last reading; anew for one that was not there. */
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
