import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { asText, isObject, percentDecoded } from '../../util/json';
import { CDR_FIELDS, cdrTalk, cdrText, cdrTime, textIn } from './cdrFields';

/** A recording named in a CDR. */
export interface CdrRecording {
	file: string;
	address: string;
}

/** Returns the first of {@link cdrRecordings}; undefined if a CDR names none. */
export function cdrRecording(record: IDataObject): CdrRecording | undefined {
	return cdrRecordings(record)[0];
}

/**
 * Returns a CDR's recordings: the one at REC_LINK + REC_FILE (§2.4), or those with an address on a stock platform
 * (`recording_url`, `media_recordings`).
 */
export function cdrRecordings(record: IDataObject): CdrRecording[] {
	const file = cdrText(record, 'REC_FILE')?.trim() ?? '';
	if (file !== '' && !/^(null|none|undefined)$/i.test(file)) {
		const link = cdrText(record, 'REC_LINK')?.trim() ?? '';
		return [{ file, address: link + encoded(file) }];
	}
	const named = [record.recording_url, record.media_recordings].flat() as unknown[];
	const addresses = named
		.map((one) => (isObject(one) ? (one.recording_url ?? one.url) : one))
		.flatMap((one) => asText(one)?.trim() ?? [])
		.filter((address) => /^https?:\/\//i.test(address));
	return [...new Set(addresses)].map((address) => ({ file: fileIn(address), address }));
}

/** Returns the last segment of an address's path, or the whole address if there is none. */
function fileIn(address: string): string {
	const [path = ''] = address.split(/[?#]/);
	return percentDecoded(path.split('/').pop() ?? '') || address;
}

/** Encodes the characters of a file name that would end the path of an address. */
function encoded(file: string): string {
	return file
		.replace(/%(?![\da-f]{2})/gi, '%25')
		.replace(/#/g, '%23')
		.replace(/\?/g, '%3F');
}

const RECORDING = /^(?:rec_(?:file|link)|recording_url|media_recordings)$/i;
const IDENTITY = CDR_FIELDS.filter((field) => !RECORDING.test(field));

/**
 * Identifies a record, which has no ID in the contract (§2.4): by the contract's fields except the recording's, which
 * a PBX can fill in later, and by the leg's call ID if there is one. Equal records share a key, so callers have
 * to count them.
 */
export function recordKey(record: IDataObject): string {
	const callId = textIn(record, 'CALL_ID') ?? '';
	const fields = IDENTITY.map((field) => cdrText(record, field) ?? '');
	return shortHash(JSON.stringify([...fields, callId]));
}

/** Returns 72 bits of a text's SHA-256, in 12 characters. */
export function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/** Returns all fields except the recording's as one text, equal for equal records regardless of field order. */
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
	/** When it ended, in Unix milliseconds; `-Infinity` if its records have no time. */
	at: number;
}

/** After a longer pause, in milliseconds, the same Bridge-ID is another call. */
export const LONGEST_PAUSE_MS = 2 * 3_600_000;

/**
 * Groups legs into calls by BRIDGE_ID (§2.4), in the order of the calls' first records. A record without one is a
 * call of its own. Legs too far apart to fit in one range are two calls, whatever range is read.
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

/** Sorts records by time, oldest first, regardless of input order. Records without a time come first. */
export function sortByTime(records: readonly IDataObject[]): IDataObject[] {
	if (records.length < 2) return [...records];
	return records
		.map((record) => ({ record, time: cdrTime(record) ?? 0 }))
		.sort((a, b) => a.time - b.time || compareRecords(a.record, b.record))
		.map(({ record }) => record);
}

/** Puts the inbound leg first among legs that ended together. */
function compareRecords(a: IDataObject, b: IDataObject): number {
	const [own, other] = [orderKey(a), orderKey(b)];
	if (own === other) return 0;
	return own < other ? -1 : 1;
}

function orderKey(record: IDataObject): string {
	const fields = CDR_FIELDS.map((field) => cdrText(record, field) ?? '');
	return JSON.stringify([...fields, canonical(record)]);
}
