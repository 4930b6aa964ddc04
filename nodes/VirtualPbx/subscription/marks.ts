import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';

/** Fingerprint of what we write. */
export function sentMark(wanted: IDataObject): string {
	return mark(wanted);
}

/** Fingerprint of how the PBX shows what we wrote; whether it is enabled is judged apart. */
export function shownMark({
	name,
	uri,
	http_verb,
	hook,
	retries,
	custom_data,
}: IDataObject): string {
	return mark({ name, uri, http_verb, hook, retries, custom_data });
}

function mark(value: IDataObject): string {
	return createHash('sha256').update(comparable(value)).digest('hex').slice(0, 16);
}

/** One text for equal objects, whatever the order of their keys; single values as text. */
export function comparable(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(comparable).join()}]`;
	if (!isObject(value)) return JSON.stringify(value === undefined ? null : String(value));
	const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
	return `{${entries
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([key, entry]) => `${JSON.stringify(key)}:${comparable(entry)}`)
		.join()}}`;
}
