import type { IDataObject } from 'n8n-workflow';

import { isObject } from './json';

/** Fields of an answer that the PBX keeps by itself; everything else may be the user's. */
const READ_ONLY = new Set([
	'id',
	'rev',
	'revision',
	'account_id',
	'account_db',
	'created',
	'created_at',
	'modified',
	'modified_at',
	'updated',
	'updated_at',
]);

/**
 * Gives what an update has to send so that nothing is lost (design: read, merge, write): every field of the document
 * as it is, with the changes over it. Left out are only fields that the PBX keeps by itself: the id, `_…` and `pvt_…`
 * fields, times and revisions, and the list's boolean `featurecode` (§2.2: not changeable).
 *
 * @param current the document as the PBX gave it
 * @param changes the fields that the user named; those that are undefined stay as they are
 */
export function mergeDocument(current: IDataObject, changes: IDataObject): IDataObject {
	const kept = Object.entries(current).filter(([name, value]) => !isReadOnly(name, value));
	const set = Object.entries(changes).filter(([, value]) => value !== undefined);
	return Object.fromEntries([...kept, ...set]);
}

function isReadOnly(name: string, value: unknown): boolean {
	if (READ_ONLY.has(name) || name.startsWith('_') || name.startsWith('pvt_')) return true;
	return name === 'featurecode' && (typeof value === 'boolean' || value === null);
}

/**
 * Tells whether a value of a document is lost: it is no longer there, is empty, holds less, or is the other one of true and
 * false, as a default is. A text or number that the PBX has changed is none of that: it may keep such by itself.
 *
 * @param before anything of JSON; nothing is lost of what is empty
 */
export function isLost(before: unknown, after: unknown): boolean {
	if (isEmpty(before)) return false;
	if (isEmpty(after)) return true;
	if (Array.isArray(before)) return !Array.isArray(after) || after.length < before.length;
	if (!isObject(before)) return typeof before === 'boolean' && before !== after;
	return (
		!isObject(after) || Object.entries(before).some(([name, value]) => isLost(value, after[name]))
	);
}

function isEmpty(value: unknown): boolean {
	if (value === undefined || value === null || value === '') return true;
	return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * Merges named values into an object of the user's own, such as a webhook's static data: names not given stay.
 *
 * @param current anything; only an object is kept
 */
export function mergeNames(current: unknown, changes: IDataObject): IDataObject {
	return { ...(isObject(current) ? current : {}), ...changes };
}
