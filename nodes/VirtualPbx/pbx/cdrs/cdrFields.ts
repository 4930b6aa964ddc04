import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import { numberToUnixMs } from '../../util/time';

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

/** What a stock platform calls a field that the contract names otherwise (seen in the field). */
const STOCK_NAMES: Partial<Record<CdrField, readonly string[]>> = {
	CALL_DIRECTION: ['direction'],
	CALLEE_ID_NUMBER: ['dialed_number', 'to'],
};

/**
 * Reads a field of a CDR as text, in upper or lower case or under the name that a stock platform gives it; an absent or
 * empty one as undefined.
 */
export function cdrText(record: IDataObject, field: CdrField): string | undefined {
	return (
		textIn(record, field) ??
		STOCK_NAMES[field]?.map((name) => asText(record[name])).find((text) => text !== undefined)
	);
}

/** Reads a field in upper or lower case that the contract does not name. */
export function textIn(record: IDataObject, name: string): string | undefined {
	return asText(record[name]) ?? asText(record[name.toLowerCase()]);
}

/** Records whose TIMESTAMP is when the call began. A fact about what was read, so it lives as long as the record. */
const stampedAtBegin = new WeakSet<IDataObject>();

/** Notes that the TIMESTAMP of a record is when its call began, as on a stock platform. */
export function markStampedAtBegin(record: IDataObject): void {
	stampedAtBegin.add(record);
}

/** The TIMESTAMP of a CDR in Unix milliseconds (§2.4); undefined where there is no readable one. */
export function cdrStamp(record: IDataObject): number | undefined {
	return numberToUnixMs(cdrText(record, 'TIMESTAMP'));
}

/** When the leg of a CDR ended, in Unix milliseconds; undefined where its TIMESTAMP is not readable. */
export function cdrTime(record: IDataObject): number | undefined {
	const stamp = cdrStamp(record);
	if (stamp === undefined || !stampedAtBegin.has(record)) return stamp;
	return stamp + cdrDuration(record) * 1000;
}

/** The talk time of a CDR in seconds (BILLING_SECONDS); undefined when it is absent or no number. */
export function cdrTalk(record: IDataObject): number | undefined {
	return secondsIn(record, 'BILLING_SECONDS');
}

/** How long the leg of a CDR lasted at least, in seconds: with its ringing, where the PBX tells that. */
export function cdrDuration(record: IDataObject): number {
	return Math.max(0, secondsIn(record, 'DURATION_SECONDS') ?? 0, cdrTalk(record) ?? 0);
}

function secondsIn(record: IDataObject, name: string): number | undefined {
	const seconds = Number(textIn(record, name)?.trim() || Number.NaN);
	return Number.isFinite(seconds) ? seconds : undefined;
}
