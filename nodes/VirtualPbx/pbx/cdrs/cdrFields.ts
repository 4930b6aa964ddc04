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

export type CdrField = (typeof CDR_FIELDS)[number];

/** Stock platforms' names for the contract's fields (seen in the field). */
const STOCK_NAMES: Partial<Record<CdrField, readonly string[]>> = {
	CALL_DIRECTION: ['direction'],
	CALLEE_ID_NUMBER: ['dialed_number', 'to'],
};

/**
 * Reads a CDR field as text, in upper or lower case or under its name on a stock platform; undefined if absent or
 * empty.
 */
export function cdrText(record: IDataObject, field: CdrField): string | undefined {
	return (
		textIn(record, field) ??
		STOCK_NAMES[field]?.map((name) => asText(record[name])).find((text) => text !== undefined)
	);
}

/** Reads a field that the contract doesn't name, in upper or lower case. */
export function textIn(record: IDataObject, name: string): string | undefined {
	return asText(record[name]) ?? asText(record[name.toLowerCase()]);
}

/** Records whose TIMESTAMP is when the call began. A fact about the data, so it lives as long as the record. */
const stampedAtBegin = new WeakSet<IDataObject>();

/** Marks a record whose TIMESTAMP is when its call began, as on a stock platform. */
export function markStampedAtBegin(record: IDataObject): void {
	stampedAtBegin.add(record);
}

/** Returns the TIMESTAMP of a CDR in Unix milliseconds (§2.4); undefined if absent or unreadable. */
export function cdrStamp(record: IDataObject): number | undefined {
	return numberToUnixMs(cdrText(record, 'TIMESTAMP'));
}

/** Returns when a CDR's leg ended, in Unix milliseconds; undefined if its TIMESTAMP is unreadable. */
export function cdrTime(record: IDataObject): number | undefined {
	const stamp = cdrStamp(record);
	if (stamp === undefined || !stampedAtBegin.has(record)) return stamp;
	return stamp + cdrDuration(record) * 1000;
}

/** Returns when a CDR's leg began, in Unix milliseconds: at the latest, if the PBX doesn't say how long it rang. */
export function cdrBegin(record: IDataObject): number | undefined {
	const end = cdrTime(record);
	return end === undefined ? undefined : end - cdrDuration(record) * 1000;
}

/** Returns a CDR's billed seconds (BILLING_SECONDS); undefined if absent or not a number. */
export function cdrTalk(record: IDataObject): number | undefined {
	return secondsIn(record, 'BILLING_SECONDS');
}

/** Returns the minimum duration of a CDR's leg in seconds, including ringing if the PBX reports it. */
export function cdrDuration(record: IDataObject): number {
	return Math.max(0, secondsIn(record, 'DURATION_SECONDS') ?? 0, cdrTalk(record) ?? 0);
}

function secondsIn(record: IDataObject, name: string): number | undefined {
	const seconds = Number(textIn(record, name)?.trim() || Number.NaN);
	return Number.isFinite(seconds) ? seconds : undefined;
}
