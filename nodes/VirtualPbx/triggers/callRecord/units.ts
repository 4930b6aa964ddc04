import type { IDataObject } from 'n8n-workflow';

import { cdrRecording, cdrTime } from '../../records/cdr';
import type { CallLegs } from '../../records/groups';
import { groupByCall, recordKey, shortHash } from '../../records/groups';
import type { LegProfile } from '../../records/legProfile';
import { lacksFirstLeg } from '../../records/legProfile';
import type { Pending, SeenRecords } from './cursor';

/** What starts the workflow once: the choices of Event. */
export type UnitKind = 'newCall' | 'newCallRecord' | 'recordingReady';

/** A record with its key. */
export interface KeyedRecord {
	record: IDataObject;
	key: string;
	/** When its leg ended, in Unix milliseconds; now where the PBX does not tell. */
	at: number;
}

/** One thing to start the workflow for; times are Unix milliseconds. */
export interface Unit {
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

/** What a window holds: units that are not handled yet, the oldest first, and the records that are. */
export interface Found {
	units: Unit[];
	handled: KeyedRecord[];
}

/**
 * Finds what is new in a window. Records with the same key are counted: as many as were handled before are taken for
 * those, the rest is new.
 *
 * @param records all that the PBX gave for the window
 * @param now Unix milliseconds
 */
export function findUnits(
	seen: SeenRecords,
	records: readonly IDataObject[],
	kind: UnitKind,
	now: number,
): Found {
	const left = new Map(Object.entries(seen).map(([key, [, count]]) => [key, count]));
	const handled: KeyedRecord[] = [];
	const units: Unit[] = [];
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
		units.push({
			id: isCall && group.id !== undefined ? shortHash(group.id) : first.key,
			records: fresh,
			legs: group.legs,
			firstAt: Math.min(...fresh.map(({ at }) => at)),
			lastAt: Math.max(...fresh.map(({ at }) => at)),
			isLate: isCall && fresh.length < group.keyed.length,
		});
	}
	return { units: units.sort((a, b) => a.lastAt - b.lastAt), handled };
}

/** The records that make a unit together, handled or not. */
interface Group {
	/** Of a call that has an ID. */
	id?: string | undefined;
	/** Oldest first. */
	keyed: KeyedRecord[];
	/** What the unit shows, oldest first. */
	legs: IDataObject[];
}

function grouped(records: readonly IDataObject[], kind: UnitKind, now: number): Group[] {
	const keyed = (record: IDataObject, key = recordKey(record)): KeyedRecord => ({
		record,
		key,
		at: cdrTime(record) ?? now,
	});
	if (kind === 'newCallRecord')
		return records.map((record) => ({ keyed: [keyed(record)], legs: [record] }));
	const calls = groupByCall(records);
	if (kind === 'recordingReady') {
		const pairs = calls.flatMap(({ legs }) => legs.map((record) => ({ record, legs })));
		return recordings(pairs).map(({ record, legs, address }) => ({
			keyed: [keyed(record, shortHash(address))],
			legs,
		}));
	}
	return withIds(calls).map(({ id, legs }) => ({
		id,
		keyed: legs.map((record) => keyed(record)),
		legs,
	}));
}

/** The same Bridge-ID may come back as another call: the newest one has the ID that it would have alone. */
function withIds(calls: readonly CallLegs[]): Array<CallLegs & { id: string | undefined }> {
	const newer = new Map<string, number>();
	return [...calls].reverse().map((call) => {
		const { callId } = call;
		if (callId === undefined) return { ...call, id: undefined };
		const count = newer.get(callId) ?? 0;
		newer.set(callId, count + 1);
		return { ...call, id: count === 0 ? callId : `${callId} ${count}` };
	});
}

/** Of records that name the same recording, as both legs of a call may, the first. */
function recordings(
	records: ReadonlyArray<{ record: IDataObject; legs: IDataObject[] }>,
): Array<{ record: IDataObject; legs: IDataObject[]; address: string }> {
	const byAddress = new Map<
		string,
		{ record: IDataObject; legs: IDataObject[]; address: string }
	>();
	for (const one of records) {
		const address = cdrRecording(one.record)?.address;
		if (address !== undefined && !byAddress.has(address))
			byAddress.set(address, { ...one, address });
	}
	return [...byAddress.values()];
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
 * Tells whether a call has all its legs. It waits for its first leg no longer than the overlap, which covers the longest call.
 *
 * @param pending since when it is waited for
 * @param now Unix milliseconds
 */
export function completenessOf(
	unit: Unit,
	{ since, changedAt }: Pending,
	profile: LegProfile,
	{ now, overlapMs }: { now: number; overlapMs: number },
): Completeness {
	const age = ageOf(unit, now, overlapMs);
	const lacking = unit.isLate ? false : lacksFirstLeg(unit.legs, profile);
	const waitMs = lacking === undefined ? WAITS.unknownMs : overlapMs;
	if (lacking !== false && Math.max(now - since, age) < waitMs) return 'waiting';
	return Math.max(now - changedAt, age) < WAITS.settleMs ? 'settling' : 'complete';
}

/** How long ago a unit ended at least, whatever the clocks differ, in milliseconds; negative where that is unknown. */
export function ageOf({ lastAt }: Unit, now: number, overlapMs: number): number {
	return now - lastAt - overlapMs;
}

/** Since when a unit is waited for: the former entry, with now as its last change if legs were added. */
export function pendingOf(
	{ id, legs }: Unit,
	pending: Record<string, Pending>,
	now: number,
): Pending {
	const before = pending[id] ?? { since: now, changedAt: now, legs: legs.length };
	return before.legs === legs.length ? before : { ...before, changedAt: now, legs: legs.length };
}
