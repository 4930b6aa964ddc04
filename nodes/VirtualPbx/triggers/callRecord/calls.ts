import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { ShownByCalls } from '../../calls/leg';
import {
	callPasses,
	lacksFirstLeg,
	rawCall,
	recordPasses,
	simplifyCall,
	simplifyCdr,
} from '../../calls/record';
import type { RecordedCall } from '../../calls/recordedCalls';
import { groupByCall } from '../../calls/recordedCalls';
import { employeeFiller, storeFile } from '../../parameters/output';
import type { CdrRecording } from '../../pbx/cdrs/cdr';
import { Cdr, shortHash } from '../../pbx/cdrs/cdr';
import { PbxError } from '../../pbx/errors/pbxError';
import { mapInOrder } from '../../util/limits';
import { formatNumbers } from '../../util/phone';
import type { Check, EventKind, Settings } from './parameters';
import type { Progress, SeenRecord, Start } from './progress';

interface KeyedRecord extends SeenRecord {
	record: Cdr;
	/** When its leg ended, in Unix milliseconds; now if the PBX doesn't say. */
	at: number;
	/** The earliest possible end: TIMESTAMP can be when the call began. */
	earliest: number;
}

export interface Candidate extends Start {
	records: readonly KeyedRecord[];
	/** All legs of the call in the window, oldest first; only itself for a call record. */
	legs: Cdr[];
	/** Facts that the calls read with it show about the account. */
	shown?: ShownByCalls | undefined;
	/** When the last of its records ended, as far as known, in Unix milliseconds. */
	lastAt: number;
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
	const latest = stamp + record.minDurationSeconds * 1000;
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
function waitOf(
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

/** A candidate's item, and the customer whose calls are processed one at a time. */
export interface Made {
	item: INodeExecutionData;
	customer: string | undefined;
}

/** Returns whether a candidate passes the filters, judged by what its item shows. */
export function isWanted({ legs, shown }: Candidate, { kind, filters }: Settings): boolean {
	if (kind !== 'newCallRecord') return callPasses(legs, filters, shown);
	return legs.every((record) => recordPasses(record, filters));
}

/** How many files are downloaded in parallel. */
const AT_ONCE = 4;

/**
 * Creates the items of candidates, in their order. Looks for recordings while the check may, the least recently tried
 * first, and leaves out those that aren't available yet. `isLastTry` returns them without the file.
 */
export async function createItems(
	check: Check,
	candidates: readonly Candidate[],
	progress: Pick<Progress, 'newest' | 'pending'>,
	isLastTry = false,
): Promise<Map<Candidate, Made>> {
	const { settings, endsAt } = check;
	const fill =
		settings.looksUpEmployees && candidates.length > 0
			? await employeeFiller(check.pbx)
			: undefined;
	const filled = (made: Made) => {
		fill?.(made.item.json);
		return made;
	};
	if (settings.kind !== 'recordingReady')
		return new Map(candidates.map((candidate) => [candidate, filled(itemOf(candidate, settings))]));
	const { pending } = progress;
	const triedAt = ({ id }: Candidate) => pending.get(id)?.triedAt ?? 0;
	const queue = [...candidates].sort((a, b) => triedAt(a) - triedAt(b));
	const found = new Map<Candidate, Made>();
	let tried = 0;
	await mapInOrder(queue, AT_ONCE, async (candidate) => {
		if (tried++ >= AT_ONCE && Date.now() >= endsAt) return;
		const { waitedMs } = waitOf(candidate, progress, settings.lookBackMs);
		const waiting = pending.get(candidate.id);
		if (waiting) waiting.triedAt = performance.now();
		const item = await recordingItem(check, candidate, isLastTry || waitedMs >= settings.waitMs);
		if (item) found.set(candidate, filled(item));
	});
	return new Map(
		candidates.flatMap((candidate) => {
			const made = found.get(candidate);
			return made ? [[candidate, made] as const] : [];
		}),
	);
}

function itemOf({ legs, isLate, shown: others }: Candidate, settings: Settings): Made {
	const { kind, simplify, country } = settings;
	const [record = new Cdr({})] = legs;
	const isRecord = kind === 'newCallRecord';
	const simple = isRecord
		? simplifyCdr(record, settings)
		: simplifyCall(legs, { ...settings, shown: others });
	const shown = formatNumbers(simple, country);
	const raw = isRecord ? record.original : rawCall({ callId: record.bridgeId, legs });
	const late: IDataObject = isLate ? { late: true } : {};
	return { item: { json: { ...(simplify ? shown : raw), ...late } }, customer: customerIn(shown) };
}

function customerIn({ customerNumber }: IDataObject): string | undefined {
	return typeof customerNumber === 'string' ? customerNumber : undefined;
}

/**
 * Errors after which the next poll doesn't try again: the host never gets the token, or the file is too large or can't
 * be stored, so that another download would only take time and space.
 */
const FINAL = new Set(['unsent', 'storage', 'endless']);

/** Builds the item of a recording; undefined while its file isn't available. */
async function recordingItem(
	{ context, pbx, settings }: Check,
	candidate: Candidate,
	isLastTry: boolean,
): Promise<Made | undefined> {
	const { attachTo } = settings;
	const { address = '', file = '' } = candidate.recording ?? {};
	const request = { address, waitMs: 0 };
	const shown = recordedCall(candidate, settings);
	const customer = customerIn(shown);
	const json = settings.simplify ? shown : (candidate.records[0]?.record.original ?? {});
	const fetching =
		attachTo === undefined
			? pbx.recordings.download(request, async () => ({}))
			: pbx.recordings.download(request, async (opened) => ({
					binary: { [attachTo]: await storeFile(context, file)(opened) },
				}));
	return await fetching.then(
		(binary) => ({ item: { json: { ...json, recordingReady: true }, ...binary }, customer }),
		(error: unknown) => {
			if (!(error instanceof PbxError)) throw error;
			if (!isLastTry && !FINAL.has(error.kind)) return undefined;
			const problem = { recordingProblem: error.message, recordingReady: false };
			return { item: { json: { ...json, ...problem } }, customer };
		},
	);
}

/** Returns what an item shows of a recording: its call, and its location. */
function recordedCall(candidate: Candidate, settings: Settings): IDataObject {
	const { country, includeDetails } = settings;
	const { address: recordingUrl, file: recordingFile } = candidate.recording ?? {};
	const { details, ...top } = simplifyCall(candidate.legs, {
		...settings,
		shown: candidate.shown,
	});
	const shown = includeDetails ? { details: { ...(details as IDataObject), recordingFile } } : {};
	return formatNumbers({ ...top, recordingUrl, ...shown }, country);
}
