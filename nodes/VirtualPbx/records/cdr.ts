import type { IDataObject } from 'n8n-workflow';

import { hangupWords } from '../values/hangupCause';
import { asText } from '../values/json';
import type { Party } from '../values/numbers';
import { readParty } from '../values/numbers';
import { gregorianToUnix, numberToUnixMs, toIso } from '../values/time';

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

const LOWER = Object.fromEntries(CDR_FIELDS.map((name) => [name, name.toLowerCase()])) as Record<
	CdrField,
	string
>;

/** Reads a field of a CDR as text, in upper or lower case; an absent or empty one as undefined. */
export function cdrText(record: IDataObject, field: CdrField): string | undefined {
	return asText(record[field]) ?? asText(record[LOWER[field]]);
}

const FIRST_GREGORIAN = 62_167_219_200;
const LAST_GREGORIAN = 315_569_519_999;

/**
 * The time of a CDR: TIMESTAMP in Gregorian seconds (§2.4), from the Unix epoch to the year 9999; other numbers are
 * read by their size.
 *
 * @returns Unix milliseconds, undefined when the record has no readable time
 */
export function cdrTime(record: IDataObject): number | undefined {
	const text = cdrText(record, 'TIMESTAMP');
	if (text === undefined) return undefined;
	const seconds = Number(text);
	return seconds >= FIRST_GREGORIAN && seconds <= LAST_GREGORIAN
		? Math.floor(gregorianToUnix(seconds) * 1000)
		: numberToUnixMs(text);
}

/** The talk time of a CDR in seconds (BILLING_SECONDS); 0 when it is absent or no number. */
export function cdrSeconds(record: IDataObject): number {
	const seconds = Number(cdrText(record, 'BILLING_SECONDS') ?? 0);
	return Number.isFinite(seconds) ? seconds : 0;
}

/** The names that {@link simplifyCdr} gives. */
export const SIMPLE_CDR_FIELDS = [
	'accountId',
	'at',
	'billingSeconds',
	'bridgeId',
	'direction',
	'from',
	'fromName',
	'fromUri',
	'hangupCause',
	'hangupReason',
	'recordingFile',
	'recordingUrl',
	'timestamp',
	'to',
	'toName',
	'toUri',
] as const;

/**
 * Makes a CDR readable: camel-case names, numbers and names beside what the PBX wrote, ISO time beside the Gregorian one, seconds as a
 * number, the hang-up cause in plain words, the address of the recording (§2.4). What is absent is null.
 */
export function simplifyCdr(record: IDataObject): IDataObject {
	const caller = cdrText(record, 'CALLER_ID_NUMBER');
	const callee = cdrText(record, 'CALLEE_ID_NUMBER');
	const from = partyOf(caller);
	const to = partyOf(callee);
	const cause = cdrText(record, 'HANGUP_CAUSE');
	const recording = cdrRecording(record);
	return {
		at: mapped(cdrTime(record), toIso),
		direction: cdrText(record, 'CALL_DIRECTION') ?? null,
		from: from.number,
		fromName: from.name,
		to: to.number,
		toName: to.name,
		billingSeconds: mapped(cdrText(record, 'BILLING_SECONDS'), () => cdrSeconds(record)),
		hangupCause: cause ?? null,
		hangupReason: mapped(cause, hangupWords),
		recordingUrl: recording?.addresses[0] ?? null,
		recordingFile: recording?.file ?? null,
		bridgeId: cdrText(record, 'BRIDGE_ID') ?? null,
		fromUri: caller ?? null,
		toUri: callee ?? null,
		timestamp: cdrText(record, 'TIMESTAMP') ?? null,
		accountId: cdrText(record, 'ACCOUNT_ID') ?? null,
	};
}

function partyOf(text: string | undefined): Record<keyof Party, string | null> {
	return { number: null, name: null, ...(text === undefined ? {} : readParty(text)) };
}

function mapped<T, R>(value: T | undefined, convert: (value: T) => R): R | null {
	return value === undefined ? null : convert(value);
}

/** A recording that a CDR names. */
export interface CdrRecording {
	file: string;
	/** Where to look for it, in this order. */
	addresses: string[];
}

/** The recording of a CDR (§2.4: REC_LINK + REC_FILE); undefined when it names none. */
export function cdrRecording(record: IDataObject): CdrRecording | undefined {
	const file = cdrText(record, 'REC_FILE')?.trim() ?? '';
	if (file === '' || /^(null|none|undefined)$/i.test(file)) return undefined;
	const addresses = recordingAddresses(cdrText(record, 'REC_LINK') ?? '', file);
	return addresses.length === 0 ? undefined : { file, addresses };
}

/**
 * Joins REC_LINK and REC_FILE to the address of a recording (§2.4: plain concatenation). Where that gives no sensible
 * address, or a slash may be missing or double at the seam, the address with one slash follows as second choice. A file
 * name may hold signs that mean something in an address; where they may be meant so, the plain name follows later.
 *
 * @param link base URL of the recording; may be empty when the file is an address of its own
 * @param file name of the recorded file
 * @returns addresses to try in this order, at most four; empty when both parts are empty
 */
export function recordingAddresses(link: string, file: string): string[] {
	const base = link.trim();
	const name = file.trim();
	if (/^https?:\/\//i.test(name)) return [name];
	if (base === '' && name === '') return [];

	const addresses = encodedNames(name).flatMap((path) => joinedTo(base, path));
	return [...new Set(addresses)];
}

function joinedTo(base: string, path: string): string[] {
	const plain = base + path;
	if (base === '' || /[?=&]/.test(base)) return [plain];
	const joined = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
	if (plain === joined) return [plain];
	return isBareOrigin(base) ? [joined] : [plain, joined];
}

/** A file name within an address: first as it is most likely meant. */
function encodedNames(name: string): string[] {
	const asAddress = name.replace(/#/g, '%23').replace(/%(?![\da-f]{2})/gi, '%25');
	const asName = name.replace(/%/g, '%25').replace(/#/g, '%23').replace(/\?/g, '%3F');
	// `a.mp3?sig=1` is an address rather than a name, and so is `a%20b.mp3`.
	const isName = name.includes('?') && !/\?[^?/=]+=/.test(name);
	return isName ? [asName, asAddress] : [asAddress, asName];
}

/** `https://host` + `a.mp3` would be another host. */
function isBareOrigin(base: string): boolean {
	return /^https?:\/\/[^/?#]*$/i.test(base);
}
