import type { IDataObject } from 'n8n-workflow';

import type { Leg } from '../calls/leg';
import { colleagueAt, readEnd } from '../calls/leg';
import { asText } from '../values/json';
import { gregorianToUnix, numberToUnixMs } from '../values/time';

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

/** The talk time of a CDR in seconds (BILLING_SECONDS); undefined when it is absent or no number. */
export function cdrTalk(record: IDataObject): number | undefined {
	const seconds = Number(cdrText(record, 'BILLING_SECONDS')?.trim() || Number.NaN);
	return Number.isFinite(seconds) ? seconds : undefined;
}

/** The talk time of a CDR in seconds; 0 when the record does not say. */
export function cdrSeconds(record: IDataObject): number {
	return cdrTalk(record) ?? 0;
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

	// Nearly all records: nothing to encode, and a link to which the name is added as it is.
	if (!/[%#?]/.test(name) && isPrefix(base)) return [base + name];
	const addresses = encodedNames(name).flatMap((path) => joinedTo(base, path));
	return [...new Set(addresses)];
}

function joinedTo(base: string, path: string): string[] {
	const plain = base + path;
	if (isPrefix(base)) return [plain];
	const joined = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
	if (plain === joined) return [plain];
	return isBareOrigin(base) ? [joined] : [plain, joined];
}

/** Tells whether a link is one that a file name completes, whatever stands between them. */
function isPrefix(link: string): boolean {
	return link === '' || /[?=&]/.test(link);
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
