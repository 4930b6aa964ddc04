import type { IDataObject } from 'n8n-workflow';

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

const LOWER = Object.fromEntries(CDR_FIELDS.map((name) => [name, name.toLowerCase()])) as Record<
	CdrField,
	string
>;

/** Reads a field of a CDR as text, in upper or lower case; an absent or empty one as undefined. */
export function cdrText(record: IDataObject, field: CdrField): string | undefined {
	return asText(record[field]) ?? asText(record[LOWER[field]]);
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
