import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { CDR_FIELDS, cdrText } from './cdr';

/** What identifies a record: a CDR has no ID of its own in the contract (§2.4). */
export interface RecordKey {
	/**
	 * From the contract's fields except the recording's, which a PBX may fill in later. Records alike in all of them have
	 * the same: they are told apart by how many there are.
	 */
	stable: string;
	/** From all fields but the recording's, the PBX's own extra ones included; it tells records of the same stable key apart. */
	full: string;
}

const IDENTITY = CDR_FIELDS.filter((field) => field !== 'REC_FILE' && field !== 'REC_LINK');
/** Length of a full key; `SeenRecords` joins them. */
export const FULL_LENGTH = 6;

const RECORDING = /^rec_(?:file|link)$/i;

/**
 * Derives the key of a record from its fields; order and case of the field names do not matter.
 *
 * @returns hashes of 12 and 6 characters
 */
export function recordKey(record: IDataObject): RecordKey {
	const all = shortHash(canonical(record));
	const hasTime = cdrText(record, 'TIMESTAMP') !== undefined;
	const stable = hasTime
		? shortHash(JSON.stringify(IDENTITY.map((field) => cdrText(record, field) ?? '')))
		: all;
	return { stable, full: all.slice(0, FULL_LENGTH) };
}

/** The key of a recording: its address. */
export function addressKey(address: string): RecordKey {
	return { stable: shortHash(address), full: '-'.repeat(FULL_LENGTH) };
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
