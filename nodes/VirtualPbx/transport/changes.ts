import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isObject } from '../values/json';
import { withoutSecrets } from '../values/secrets';
import type { DocumentKind, Scope } from './documents';
import { documentOf, mayHaveActed, scopeOf, post, readDocument, wholeDocument } from './documents';
import type { Failure } from './failure';
import type { Attempt } from './pbx';

/** What writing a change gave. */
export interface Written {
	outcome: Attempt;
	sent: IDataObject;
	/** Fields that the document has lost over it, with what they held; empty where all is well. */
	gone: IDataObject;
}

/**
 * Changes a document so that nothing is lost: reads it, puts the changes over it and writes the whole back; see
 * {@link postChanges}.
 *
 * @param changesOf makes the changes; gets the document as it is
 * @returns the document after the change
 * @throws NodeApiError when the PBX refuses; NodeOperationError when it has lost fields, with what they held
 */
export async function updateDocument(
	work: Scope,
	kind: DocumentKind,
	id: string,
	changesOf: (current: IDataObject) => IDataObject,
): Promise<IDataObject> {
	const current = await readDocument(work, kind, id);
	const written = await postChanges(work, kind, id, { current, changes: changesOf(current) });
	const { outcome, sent, gone } = written;
	if (Object.keys(gone).length > 0) throw lossError(work, kind.noun, id, written);
	if (!outcome.ok) throw outcome.error;
	return await wholeDocument(work, kind, { id, answer: outcome.body, sent });
}

/**
 * The writing half of `updateDocument`, for those who have read the document and decide about a failure by themselves.
 *
 * A PBX may take only what the contract shows: where it refuses the whole with 400, it gets it once more without those of
 * the other fields that it complains of, or without all of them where it names none. Then the document is read, since
 * a PBX may replace it: what has vanished is put back, all at once or one by one.
 */
export async function postChanges(
	work: Scope,
	kind: DocumentKind,
	id: string,
	{ current, changes }: { current: IDataObject; changes: IDataObject },
): Promise<Written> {
	const data = mergeDocument(current, changes);
	const whole = await post(work, kind, id, { data });
	if (whole.ok) return { outcome: whole, sent: data, gone: {} };

	const optional = Object.keys(data).filter(
		(name) => changes[name] === undefined && !kind.documented.includes(name),
	);
	const refused = refusedNames(whole.failure, optional);
	if (refused.length === 0) return { outcome: whole, sent: data, gone: {} };
	const sent = Object.fromEntries(Object.entries(data).filter(([name]) => !refused.includes(name)));
	const outcome = await post(work, kind, id, { data: sent });
	const isDone =
		outcome.ok || outcome.failure.kind === 'cancelled' || mayHaveActed(outcome.failure);
	if (!isDone) return { outcome, sent, gone: {} };
	return await putBack(work, kind, id, { outcome, sent, gone: pick(current, refused) });
}

/** Puts back what has vanished of the fields that were left out; gives what could not be. */
async function putBack(
	work: Scope,
	kind: DocumentKind,
	id: string,
	{ outcome, sent, gone }: Written,
): Promise<Written> {
	const lost = await vanished(work, kind, id, gone);
	const names = Object.keys(lost);
	if (names.length === 0) return { outcome, sent, gone: lost };

	let written: Written = { outcome, sent, gone: lost };
	for (const attempt of names.length > 1 ? [names, ...names.map((name) => [name])] : [names]) {
		const data = { ...written.sent, ...pick(lost, attempt) };
		const again = await post(work, kind, id, { data, evenWhenCancelled: true });
		if (again.ok) written = { outcome: again, sent: data, gone: lost };
		if (again.ok && attempt.length === names.length) break;
	}
	return { ...written, gone: await vanished(work, kind, id, lost) };
}

/** Those of some fields that the document has no longer; all where it cannot be read. */
async function vanished(
	work: Scope,
	kind: DocumentKind,
	id: string,
	formerly: IDataObject,
): Promise<IDataObject> {
	const request = { path: [kind.path, id], evenWhenCancelled: true, ...scopeOf(work) };
	const read = await work.pbx.attempt({ method: 'GET', ...request });
	const document = (read.ok ? documentOf(read.body) : undefined) ?? {};
	const names = Object.keys(formerly).filter((name) => isLost(formerly[name], document[name]));
	return pick(formerly, names);
}

/** Says which fields are gone, and what they held; values named like a secret are masked. */
export function lossWords(gone: IDataObject): string {
	const names = Object.keys(gone).join(', ');
	return `lost its fields ${names}, because the PBX refuses these fields and then drops them. Set them again at the PBX. They contained ${JSON.stringify(withoutSecrets(gone))}`;
}

function lossError(
	{ pbx, itemIndex }: Scope,
	noun: string,
	id: string,
	{ outcome, gone }: Written,
) {
	const change = outcome.ok
		? 'The change was made.'
		: `The change failed: ${outcome.error.message}.`;
	return new NodeOperationError(
		pbx.node,
		`The PBX dropped fields of the ${noun} ${id}: ${Object.keys(gone).join(', ')}`,
		{ itemIndex, description: `${change} The ${noun} ${lossWords(gone)}` },
	);
}

function pick(document: IDataObject, names: readonly string[]): IDataObject {
	return Object.fromEntries(names.map((name) => [name, document[name]]));
}

function refusedNames({ status, complaints = [], words }: Failure, optional: string[]): string[] {
	if (status !== 400) return [];
	const fields = complaints.map(({ field }) => field.replace(/^data\./, '').split('.')[0]);
	if (fields.length > 0) return optional.filter((name) => fields.includes(name));
	const named = optional.filter((name) => words.split(/[^\w-]+/).includes(name));
	return named.length > 0 ? named : optional;
}

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
