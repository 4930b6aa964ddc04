import type { IDataObject } from 'n8n-workflow';

import { causeCode, hangupWords } from '../values/hangupCause';
import { asText, withNulls } from '../values/json';
import { areExtensions, readParty } from '../values/numbers';
import type { Facts, Outcome } from '../values/outcome';
import { outcomeOf } from '../values/outcome';
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

/** The talk time of a CDR in seconds (BILLING_SECONDS); undefined when it is absent or no number. */
export function cdrTalk(record: IDataObject): number | undefined {
	const seconds = Number(cdrText(record, 'BILLING_SECONDS')?.trim() || Number.NaN);
	return Number.isFinite(seconds) ? seconds : undefined;
}

/** The talk time of a CDR in seconds; 0 when the record does not say. */
export function cdrSeconds(record: IDataObject): number {
	return cdrTalk(record) ?? 0;
}

/** What a CDR says of its leg, converted; undefined where it does not say. */
export interface Leg {
	record: IDataObject;
	/** Unix milliseconds. */
	time: number | undefined;
	direction: string | undefined;
	/** The caller's number and name, and the text that names both. */
	from: string | undefined;
	fromName: string | undefined;
	fromUri: string | undefined;
	/** The same of the called party. */
	to: string | undefined;
	toName: string | undefined;
	toUri: string | undefined;
	talk: number | undefined;
	cause: string | undefined;
	outcome: Outcome;
}

/** Reads a CDR (§2.4). Every number of an output passes here. */
export function readLeg(record: IDataObject): Leg {
	const fromUri = cdrText(record, 'CALLER_ID_NUMBER');
	const toUri = cdrText(record, 'CALLEE_ID_NUMBER');
	const caller = fromUri === undefined ? undefined : readParty(fromUri);
	const called = toUri === undefined ? undefined : readParty(toUri);
	const from = caller?.number || undefined;
	const talk = cdrTalk(record);
	const cause = cdrText(record, 'HANGUP_CAUSE');
	const byColleague = areExtensions(from);
	return {
		record,
		time: cdrTime(record),
		direction: cdrText(record, 'CALL_DIRECTION'),
		from,
		fromName: caller?.name,
		fromUri,
		to: called?.number || undefined,
		toName: called?.name,
		toUri,
		talk,
		cause,
		outcome: outcomeOf({ state: stateOf(talk), byColleague, byExchange: false, cause }),
	};
}

function stateOf(talk: number | undefined): Facts['state'] {
	if (talk === undefined) return 'unsaid';
	return talk > 0 ? 'answered' : 'unanswered';
}

/**
 * Makes a CDR readable: what matters at the top, in the shape that calls have, too, and the rest in `details`. Numbers and
 * names beside what the PBX wrote, ISO time beside the Gregorian one, seconds as a number, the hang-up cause in plain words,
 * the address of the recording (§2.4). What is absent is null.
 */
export function simplifyCdr(record: IDataObject): IDataObject {
	const leg = readLeg(record);
	const recording = cdrRecording(record);
	// No spreading: it takes four times as long, and there may be very many records.
	return withNulls({
		outcome: leg.outcome,
		direction: leg.direction,
		from: leg.from,
		fromName: leg.fromName,
		to: leg.to,
		employee: employeeOf(leg),
		at: isoOf(leg),
		talkSeconds: leg.talk,
		recordingUrl: recording?.addresses[0],
		bridgeId: cdrText(record, 'BRIDGE_ID'),
		details: withNulls({
			toName: leg.toName,
			fromUri: leg.fromUri,
			toUri: leg.toUri,
			hangupCause: causeCode(leg.cause),
			hangupReason: reasonOf(leg),
			recordingFile: recording?.file,
			timestamp: cdrText(record, 'TIMESTAMP'),
			accountId: cdrText(record, 'ACCOUNT_ID'),
		}),
	});
}

/** The colleague of one leg: whose phone it rings, else who calls. */
function employeeOf(leg: Leg): string | undefined {
	const { from } = leg;
	return phoneOf(leg) ?? (areExtensions(from) ? from : undefined);
}

/** The colleague whose phone a leg rings: an extension, or the SIP user name under which the exchange calls it. */
export function phoneOf({ direction, to }: Leg): string | undefined {
	return isOutbound(direction) && (areExtensions(to) || isUserName(to)) ? to : undefined;
}

/** Tells whether a direction, in any case, is that of a leg which the exchange calls. */
export function isOutbound(direction: string | undefined): boolean {
	return direction?.trim().toLowerCase() === 'outbound';
}

/** A text that stands in the place of a number which the caller hides. */
const HIDDEN = /^(?:anonymous|private|restricted|unavailable|unknown|withheld)$/i;

/** Tells whether a caller hides the number: the text in its place says so. */
export function isHidden(number: string): boolean {
	return HIDDEN.test(number);
}

/** Tells the name of a SIP user from a number, and from what stands for a hidden one. */
export function isUserName(user: string | undefined): boolean {
	return user !== undefined && /\p{L}/u.test(user) && !isHidden(user);
}

/** The hang-up cause of a leg in plain words. */
export function reasonOf({ cause }: Leg): string | undefined {
	return cause === undefined ? undefined : hangupWords(cause);
}

/** When a leg ended, ISO 8601 in UTC; undefined when its record does not say. */
export function isoOf({ time }: Leg): string | undefined {
	return time === undefined ? undefined : toIso(time);
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
