import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { asText } from '../values/json';
import { CDR_FIELDS, cdrText } from './cdr';

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
