import type { IDataObject } from 'n8n-workflow';

import { cdrRecording, cdrText, cdrTime } from '../../records/cdr';
import { areBothEnds, firstLegOf, groupByCall, sortByTime } from '../../records/call';
import { havePlacedFirstLegs, isPlacedAlone } from '../../records/placed';
import type { Progress, SeenRecords } from './progress';
import type { RecordKey } from '../../records/recordKey';
import { addressKey, recordKey, shortHash } from '../../records/recordKey';

/** What starts the workflow once: a call, a record of one leg, or a recording. */
export type UnitKind = 'call' | 'record' | 'recording';

/** One thing to tell about, made of records that are not handled yet. */
export interface Unit {
	/** The same in every poll. */
	id: string;
	/** Oldest first. */
	records: IDataObject[];
	/** All legs of the call that the window holds; for recordings. */
	legs: IDataObject[];
	keys: RecordKey[];
	/** Unix milliseconds of the first and the last record that tell a time. */
	firstTime: number | undefined;
	lastTime: number | undefined;
	/** The leg that began the call is among the legs, or it has none; always true for single records. */
	isWhole: boolean;
	/** Other records of the same call were handled before. */
	isLate: boolean;
}

/** What a window holds: units that are not handled yet, oldest first, and the keys of what is. */
export interface Found {
	units: Unit[];
	handled: KeyedRecord[];
}

/** A record with its key. */
export interface KeyedRecord {
	record: IDataObject;
	key: RecordKey;
}

/**
 * Finds what is new in a window. Records alike in every field are counted: as many as were handled before are taken for
 * those, the rest is new. A record whose extra fields changed since is still the same record.
 *
 * @param records all that the PBX gave for the window
 */
export function findUnits(
	progress: Progress,
	records: readonly IDataObject[],
	kind: UnitKind,
): Found {
	const keyed = kind === 'recording' ? keyedRecordings(records) : records.map(keyedRecord);
	const { fresh, handled } = separate(keyed, progress.seen);
	const areWhole = wholenessIn(records);
	const units = kind === 'call' ? callUnits(fresh, handled, areWhole) : fresh.map(singleUnit);
	if (kind === 'recording') addLegs(units, records, areWhole);
	return { units: units.sort((a, b) => (a.lastTime ?? 0) - (b.lastTime ?? 0)), handled };
}

function keyedRecord(record: IDataObject): KeyedRecord {
	return { record, key: recordKey(record) };
}

/** The records that name a recording, one for each recording: both legs of a call may name the same. */
function keyedRecordings(records: readonly IDataObject[]): KeyedRecord[] {
	const byAddress = new Map<string, KeyedRecord>();
	for (const record of records) {
		const address = cdrRecording(record)?.addresses[0];
		if (address === undefined || byAddress.has(address)) continue;
		byAddress.set(address, { record, key: addressKey(address) });
	}
	return [...byAddress.values()];
}

function separate(
	keyed: KeyedRecord[],
	seen: SeenRecords,
): { fresh: KeyedRecord[]; handled: KeyedRecord[] } {
	const unmatched = new Map<string, string[]>();
	for (const [stable, entry] of Object.entries(seen)) unmatched.set(stable, fullKeysOf(entry));

	const handled: KeyedRecord[] = [];
	const open = keyed.filter((entry) => {
		const fulls = unmatched.get(entry.key.stable);
		const place = fulls?.indexOf(entry.key.full) ?? -1;
		if (place >= 0) {
			fulls?.splice(place, 1);
			handled.push(entry);
		}
		return place < 0;
	});
	const fresh = open.filter((entry) => {
		const changed = unmatched.get(entry.key.stable)?.pop() !== undefined;
		if (changed) handled.push(entry);
		return !changed;
	});
	return { fresh, handled };
}

/** The full keys in an entry of {@link SeenRecords}: six characters each. */
export function fullKeysOf(entry: string): string[] {
	return entry.slice(entry.indexOf(':') + 1).match(/.{6}/g) ?? [];
}

function singleUnit({ record, key }: KeyedRecord): Unit {
	const time = cdrTime(record);
	return {
		id: key.stable + key.full,
		records: [record],
		legs: [record],
		keys: [key],
		firstTime: time,
		lastTime: time,
		isWhole: true,
		isLate: false,
	};
}

function callUnits(fresh: KeyedRecord[], handled: KeyedRecord[], areWhole: Wholeness): Unit[] {
	const keys = new Map(fresh.map(({ record, key }) => [record, key]));
	const known = new Set(handled.map(({ record }) => cdrText(record, 'BRIDGE_ID')));
	return groupByCall(fresh.map(({ record }) => record)).map(({ bridgeId, legs }) => {
		const records = sortByTime(legs);
		const times = records.map(cdrTime).filter((time) => time !== undefined);
		const ownKeys = records.map((record) => keys.get(record)).filter((key) => key !== undefined);
		return {
			id: shortHash(bridgeId ?? ownKeys.map(({ stable }) => stable).join()),
			records,
			legs: records,
			keys: ownKeys,
			firstTime: times[0],
			lastTime: times.at(-1),
			isWhole: bridgeId === undefined || areWhole(records),
			isLate: bridgeId !== undefined && known.has(bridgeId),
		};
	});
}

/** The legs of the call that each recording belongs to. */
function addLegs(units: Unit[], records: readonly IDataObject[], areWhole: Wholeness): void {
	if (units.length === 0) return;
	const calls = new Map(groupByCall(records).map(({ bridgeId, legs }) => [bridgeId, legs]));
	for (const unit of units) {
		const bridgeId = cdrText(unit.records[0] ?? {}, 'BRIDGE_ID');
		if (bridgeId === undefined) continue;
		unit.legs = sortByTime(calls.get(bridgeId) ?? unit.records);
		unit.isWhole = areWhole(unit.legs);
	}
}

/** Tells whether legs are those of a whole call. */
type Wholeness = (legs: readonly IDataObject[]) => boolean;

function wholenessIn(records: readonly IDataObject[]): Wholeness {
	let arePlacedWhole: boolean | undefined;
	return (legs) => {
		if (firstLegOf(legs) !== undefined || areBothEnds(legs)) return true;
		arePlacedWhole ??= !havePlacedFirstLegs(groupByCall(records));
		return arePlacedWhole && isPlacedAlone(legs);
	};
}
