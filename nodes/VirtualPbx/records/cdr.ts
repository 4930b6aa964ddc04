import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import type { Leg } from '../calls/leg';
import { colleagueAt, readEnd } from '../calls/leg';
import { asText } from '../values/json';
import { numberToUnixMs } from '../values/time';

/** The fields of a CDR in the contract's order (§2.4). */
export const CDR_FIELDS = [
	'CALL_DIRECTION',
	'BRIDGE_ID',
	'CALLEE_ID_NUMBER',
	'CALLER_ID_NUMBER',
	'TIMESTAMP',
	'BILLING_SECONDS',
	'HANGUP_CAUSE',
	'ACCOUNT_ID',
	'REC_FILE',
	'REC_LINK',
] as const;

/** The name of a CDR field. */
export type CdrField = (typeof CDR_FIELDS)[number];

/** Reads a field of a CDR as text, in upper or lower case; an absent or empty one as undefined. */
export function cdrText(record: IDataObject, field: CdrField): string | undefined {
	return asText(record[field]) ?? asText(record[field.toLowerCase()]);
}

/** The time of a CDR in Unix milliseconds: TIMESTAMP, in Gregorian seconds (§2.4); undefined where there is no readable one. */
export function cdrTime(record: IDataObject): number | undefined {
	return numberToUnixMs(cdrText(record, 'TIMESTAMP'));
}

/** The talk time of a CDR in seconds (BILLING_SECONDS); undefined when it is absent or no number. */
function cdrTalk(record: IDataObject): number | undefined {
	const seconds = Number(cdrText(record, 'BILLING_SECONDS')?.trim() || Number.NaN);
	return Number.isFinite(seconds) ? seconds : undefined;
}

/** Reads a CDR (§2.4) as a leg. Every number of an output passes here. */
export function legOfCdr(record: IDataObject): Leg {
	const from = readEnd(cdrText(record, 'CALLER_ID_NUMBER'));
	const to = readEnd(cdrText(record, 'CALLEE_ID_NUMBER'));
	const side = sideOf(record);
	const talk = cdrTalk(record);
	return {
		id: asText(record.CALL_ID) ?? asText(record.call_id),
		otherId: asText(record.OTHER_LEG_CALL_ID) ?? asText(record.other_leg_call_id),
		callId: cdrText(record, 'BRIDGE_ID'),
		side,
		from,
		to,
		employee: colleagueAt(side === 'called' ? to : from),
		state: stateOf(talk),
		isOver: true,
		talk,
		cause: cdrText(record, 'HANGUP_CAUSE'),
		at: cdrTime(record),
	};
}

/** Undefined for a direction that is not known (§2.4). */
export function sideOf(record: IDataObject): Leg['side'] {
	const direction = cdrText(record, 'CALL_DIRECTION')?.trim().toLowerCase() ?? '';
	if (direction === 'inbound') return 'caller';
	return direction.startsWith('out') ? 'called' : undefined;
}

function stateOf(talk: number | undefined): Leg['state'] {
	if (talk === undefined) return 'unsaid';
	return talk > 0 ? 'answered' : 'unanswered';
}

/** A recording that a CDR names. */
export interface CdrRecording {
	file: string;
	address: string;
}

/** The recording of a CDR, at REC_LINK + REC_FILE (§2.4); undefined when it names none. */
export function cdrRecording(record: IDataObject): CdrRecording | undefined {
	const file = cdrText(record, 'REC_FILE')?.trim() ?? '';
	if (file === '' || /^(null|none|undefined)$/i.test(file)) return undefined;
	const link = cdrText(record, 'REC_LINK')?.trim() ?? '';
	return { file, address: link + encoded(file) };
}

/** A file name within an address: what would end the path is encoded. */
function encoded(file: string): string {
	return file
		.replace(/%(?![\da-f]{2})/gi, '%25')
		.replace(/#/g, '%23')
		.replace(/\?/g, '%3F');
}

const RECORDING = /^rec_(?:file|link)$/i;
const IDENTITY = CDR_FIELDS.filter((field) => !RECORDING.test(field));

/**
 * Identifies a record, which has no ID in the contract (§2.4): by the contract's fields except the recording's, which a
 * PBX may fill in later, and by the leg's call ID where there is one. Records alike in all of them are told apart by how
 * many there are.
 */
export function recordKey(record: IDataObject): string {
	const callId = asText(record.CALL_ID) ?? asText(record.call_id) ?? '';
	const fields = IDENTITY.map((field) => cdrText(record, field) ?? '');
	return shortHash(JSON.stringify([...fields, callId]));
}

/** 72 bits of a text's SHA-256, in 12 characters. */
export function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/** All fields but the recording's as one text: equal for equal records, whatever the order of their fields. */
export function canonical(record: IDataObject): string {
	const entries = Object.entries(record)
		.filter(([name]) => !RECORDING.test(name))
		.map(([name, value]) => [name.toLowerCase(), value] as const)
		.sort(([a], [b]) => (a < b ? -1 : 1));
	return JSON.stringify(entries);
}

/** The CDRs of one call. */
export interface CallLegs {
	/** The Bridge-ID; undefined for a record without one, which is a call of its own. */
	callId: string | undefined;
	/** Oldest first. */
	legs: IDataObject[];
	/** When it ended, in Unix milliseconds; `-Infinity` where its records tell no time. */
	at: number;
}

/** The same Bridge-ID after a longer pause is another call, in milliseconds. */
export const LONGEST_PAUSE_MS = 2 * 3_600_000;

/**
 * Puts the legs of each call together by BRIDGE_ID (§2.4), in the order of the calls' first records; a record without
 * one is a call of its own. Legs so far apart that no range would hold both are two calls, in any range.
 */
export function groupByCall(records: readonly IDataObject[]): CallLegs[] {
	const groups = new Map<unknown, IDataObject[]>();
	for (const record of records) {
		const callId = cdrText(record, 'BRIDGE_ID');
		const group = callId === undefined ? undefined : groups.get(callId);
		if (group) group.push(record);
		else groups.set(callId ?? record, [record]);
	}
	return [...groups].flatMap(([key, legs]) =>
		separate(typeof key === 'string' ? key : undefined, legs),
	);
}

function separate(callId: string | undefined, records: IDataObject[]): CallLegs[] {
	const calls: CallLegs[] = [];
	for (const leg of sortByTime(records)) {
		const end = cdrTime(leg) ?? -Infinity;
		const call = calls.at(-1);
		const pauseMs = end - (cdrTalk(leg) ?? 0) * 1000 - (call?.at ?? 0);
		if (call && (pauseMs <= LONGEST_PAUSE_MS || call.at === -Infinity)) {
			call.legs.push(leg);
			call.at = end;
		} else {
			calls.push({ callId, legs: [leg], at: end });
		}
	}
	return calls;
}

/** Sorts records by time, oldest first, in the same order however they come; those without a time stand first. */
export function sortByTime(records: readonly IDataObject[]): IDataObject[] {
	if (records.length < 2) return [...records];
	return records
		.map((record) => ({ record, time: cdrTime(record) ?? 0 }))
		.sort((a, b) => a.time - b.time || compareRecords(a.record, b.record))
		.map(({ record }) => record);
}

/** Of legs that ended together, the inbound one comes first. */
function compareRecords(a: IDataObject, b: IDataObject): number {
	const [own, other] = [orderKey(a), orderKey(b)];
	if (own === other) return 0;
	return own < other ? -1 : 1;
}

function orderKey(record: IDataObject): string {
	const fields = CDR_FIELDS.map((field) => cdrText(record, field) ?? '');
	return JSON.stringify([...fields, canonical(record)]);
}
