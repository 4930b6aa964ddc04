import type { IDataObject } from 'n8n-workflow';

import type { Cdr } from '../pbx/cdrs/cdr';
import { fillNulls } from '../util/json';
import type { Call, CallOutput } from './call';
import { assembleCall, callDetails, callFields, isoOf, legDetails } from './call';
import type { CallFilters } from './filter';
import { rejectionReason } from './filter';
import type { Leg } from './leg';
import { SIDES } from './leg';
import { outcomeOfLeg } from './outcome';
import { employeeAt } from './parties';

/** The records of one call. */
export interface RecordedCall {
	/** The Bridge-ID; undefined for a record without one, which is a call of its own. */
	callId: string | undefined;
	/** Oldest first. */
	legs: Cdr[];
	/** When it ended, in Unix milliseconds; `-Infinity` if its records have no time. */
	at: number;
}

/** After a longer pause, in milliseconds, the same Bridge-ID is another call. */
export const MAX_PAUSE_MS = 2 * 3_600_000;

/**
 * Groups records into calls by Bridge-ID (§2.4), in the order of the calls' first records. A record without one is a
 * call of its own. Legs too far apart to fit in one range are two calls, whatever range is read.
 */
export function groupByCall(records: readonly Cdr[]): RecordedCall[] {
	const groups = new Map<unknown, Cdr[]>();
	for (const record of records) {
		const callId = record.bridgeId;
		const group = callId === undefined ? undefined : groups.get(callId);
		if (group) group.push(record);
		else groups.set(callId ?? record, [record]);
	}
	return [...groups].flatMap(([key, legs]) =>
		separate(typeof key === 'string' ? key : undefined, legs),
	);
}

/** Separates records of one Bridge-ID that are too far apart to be one call. */
function separate(callId: string | undefined, records: Cdr[]): RecordedCall[] {
	const calls: RecordedCall[] = [];
	for (const leg of sortByTime(records)) {
		const end = leg.endedAt ?? -Infinity;
		const call = calls.at(-1);
		const pauseMs = end - (leg.talkSeconds ?? 0) * 1000 - (call?.at ?? 0);
		if (call && (pauseMs <= MAX_PAUSE_MS || call.at === -Infinity)) {
			call.legs.push(leg);
			call.at = end;
		} else {
			calls.push({ callId, legs: [leg], at: end });
		}
	}
	return calls;
}

/** Sorts records by time, oldest first, regardless of input order. Records without a time come first. */
function sortByTime(records: readonly Cdr[]): Cdr[] {
	if (records.length < 2) return [...records];
	return records
		.map((record) => ({ record, time: record.endedAt ?? 0 }))
		.sort((a, b) => a.time - b.time || compareTogether(a.record, b.record))
		.map(({ record }) => record);
}

/** Puts the inbound leg first among legs that ended together. */
function compareTogether(a: Cdr, b: Cdr): number {
	const [own, other] = [a.orderKey, b.orderKey];
	if (own === other) return 0;
	return own < other ? -1 : 1;
}

/** Reads a record as a leg. */
export function legOfCdr(cdr: Cdr): Leg {
	const { direction, caller: from, callee: to, talkSeconds: talk } = cdr;
	return {
		id: cdr.callId,
		otherId: cdr.otherCallId,
		callId: cdr.bridgeId,
		side: direction && SIDES[direction],
		from,
		to,
		employee: employeeAt(direction === 'outbound' ? to : from),
		state: stateOf(talk),
		isOver: true,
		talk,
		cause: cdr.hangupCause,
		at: cdr.endedAt,
	};
}

function stateOf(talk: number | undefined): Leg['state'] {
	if (talk === undefined) return 'unsaid';
	return talk > 0 ? 'answered' : 'unanswered';
}

/** Assembles a call from all its records, in any order. */
export function callOfRecords(records: readonly Cdr[]): Call {
	return assembleCall(sortByTime(records).map(legOfCdr), true);
}

/** Returns whether a call passes filters, judged by all its records. */
export function callPasses(records: readonly Cdr[], filters: CallFilters): boolean {
	return rejectionReason(callOfRecords(records), filters) === undefined;
}

/** Assembles a call from one record, as far as one leg shows it. Outcome and duration are the leg's own. */
function callOfRecord(record: Cdr): Call {
	const leg = legOfCdr(record);
	return Object.assign(assembleCall([leg], false), { outcome: outcomeOfLeg(leg), talk: leg.talk });
}

/** Returns whether a call record passes filters, by the fields that {@link simplifyCdr} shows. */
export function recordPasses(record: Cdr, filters: CallFilters): boolean {
	return rejectionReason(callOfRecord(record), filters) === undefined;
}

/**
 * Combines a call's records into one item: who called whom, how it ended, how long it lasted, where it was recorded.
 * Main fields are at the top, as in events and records; the rest in `details`. `at` is when its last leg ended.
 */
export function simplifyCall(
	records: readonly Cdr[],
	{ countVoicemail = true, includeDetails = true }: CallOutput = {},
): IDataObject {
	const ordered = sortByTime(records);
	const call = assembleCall(ordered.map(legOfCdr), true);
	const lead = ordered[call.legs.indexOf(call.lead)];
	const recordings = recordingsOf(lead ? [lead, ...ordered] : ordered);
	const [recording] = recordings;
	const at = call.legs.at(-1)?.at;
	const item = mainFields(call, { at, recordingUrl: recording?.recordingUrl }, countVoicemail);
	if (!includeDetails) return item;
	const legs = call.legs.map(legDetails);
	const began = ordered.flatMap(({ beganAt }) => beganAt ?? []);
	const details = Object.assign(callDetails(call, call.lead), {
		answeredBy: call.answeredBy?.number,
		startedAt: isoOf(Math.min(...began)),
		endedAt: isoOf(at),
		firstAt: legs[0]?.at,
		lastAt: isoOf(at),
		recordingFile: recording?.recordingFile,
		recordings,
		accountId: lead?.accountId,
		legCount: legs.length,
		legs,
	});
	return Object.assign(item, { details: fillNulls(details) });
}

/** Returns the main fields of an item. Assigns objects: spreading them takes V8 three times as long. */
function mainFields(
	call: Call,
	{ at, recordingUrl }: { at: number | undefined; recordingUrl: unknown },
	countVoicemail: boolean,
): IDataObject {
	return Object.assign(callFields(call, countVoicemail), {
		at: isoOf(at) ?? null,
		talkSeconds: call.talk ?? null,
		recordingUrl: (recordingUrl ?? null) as string | null,
		callId: call.lead.callId ?? null,
	});
}

/** Returns a call's records as the PBX sent them, for output with Simplify off. */
export function rawCall({ callId, legs }: Pick<RecordedCall, 'callId' | 'legs'>): IDataObject {
	return { callId: callId ?? null, legs: legs.map(({ original }) => original) };
}

/** Simplifies a CDR, as far as one leg shows its call, into the same shape as calls. */
export function simplifyCdr(
	record: Cdr,
	{ countVoicemail = true, includeDetails = true }: CallOutput = {},
): IDataObject {
	const call = callOfRecord(record);
	const leg = call.lead;
	const [recording] = record.recordings;
	const shown = { at: leg.at, recordingUrl: recording?.address };
	const item = mainFields(call, shown, countVoicemail);
	if (!includeDetails) return item;
	const details = Object.assign({ legId: leg.id }, callDetails(call, leg), {
		startedAt: isoOf(record.beganAt),
		endedAt: isoOf(leg.at),
		recordingFile: recording?.file,
		timestamp: record.timestamp,
		accountId: record.accountId,
	});
	return Object.assign(item, { details: fillNulls(details) });
}

/** Returns the recordings named by a call's legs, without duplicates. */
function recordingsOf(records: readonly Cdr[]): IDataObject[] {
	const all = records.flatMap(({ recordings }) => recordings);
	const byAddress = new Map(all.map(({ address, file }) => [address, file]));
	return [...byAddress].map(([recordingUrl, recordingFile]) => ({ recordingUrl, recordingFile }));
}
