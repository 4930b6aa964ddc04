import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { asText, isObject, percentDecoded } from '../../util/json';
import { CDR_FIELDS, cdrTalk, cdrText, cdrTime, textIn } from './cdrFields';

/** A recording that a CDR names. */
export interface CdrRecording {
	file: string;
	address: string;
}

/** The first of {@link cdrRecordings}; undefined when a CDR names none. */
export function cdrRecording(record: IDataObject): CdrRecording | undefined {
	return cdrRecordings(record)[0];
}

/**
 * The recordings of a CDR: the one at REC_LINK + REC_FILE (§2.4), or those to which a stock platform gives an address
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

/** The last part of an address's path; the address itself where it has none. */
function fileIn(address: string): string {
	const [path = ''] = address.split(/[?#]/);
	return percentDecoded(path.split('/').pop() ?? '') || address;
}

/** A file name within an address: what would end the path is encoded. */
function encoded(file: string): string {
	return file
		.replace(/%(?![\da-f]{2})/gi, '%25')
		.replace(/#/g, '%23')
		.replace(/\?/g, '%3F');
}

const RECORDING = /^(?:rec_(?:file|link)|recording_url|media_recordings)$/i;
const IDENTITY = CDR_FIELDS.filter((field) => !RECORDING.test(field));

/**
 * Identifies a record, which has no ID in the contract (§2.4): by the contract's fields except the recording's, which a
 * PBX may fill in later, and by the leg's call ID where there is one. Records alike in all of them are told apart by how
 * many there are.
 */
export function recordKey(record: IDataObject): string {
	const callId = textIn(record, 'CALL_ID') ?? '';
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
