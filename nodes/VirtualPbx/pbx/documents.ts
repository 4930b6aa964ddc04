import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../util/json';
import type { Pbx } from './client';
import { PbxError } from './errors/pbxError';
import { unwrap } from './http/envelope';
import type { PbxRequest } from './http/request';
import { readPages } from './pages';

/** One kind of object that the PBX keeps under an account. */
export interface DocumentKind {
	/** Path segment (§4.2, §4.4). */
	path: string;
	noun: string;
	/** A field that every whole document has, by which a short answer is told from a whole one. */
	mark: string;
}

/** Callflows as documents of the PBX (§4.2). */
export const CALLFLOW: DocumentKind = { path: 'callflows', noun: 'callflow', mark: 'flow' };

/** Webhooks as documents of the PBX (§4.4). */
export const WEBHOOK: DocumentKind = { path: 'webhooks', noun: 'webhook', mark: 'uri' };

/** Where an operation works: the PBX and the account. */
export interface Scope {
	pbx: Pbx;
	accountId: string | undefined;
}

/** Reads a list up to a limit, all of it by default; `keep` leaves entries out before they count. */
export async function readList(
	pbx: Pbx,
	request: Omit<PbxRequest, 'method'>,
	limit?: number,
	keep: (entry: IDataObject) => boolean = () => true,
): Promise<IDataObject[]> {
	const entries: IDataObject[] = [];
	for await (const page of readPages(pbx, request)) {
		for (const entry of page) if (keep(entry)) entries.push(entry);
		if (limit !== undefined && entries.length >= limit) return entries.slice(0, limit);
	}
	return entries;
}

/** Reads a document by its ID. Throws PbxError, also when the PBX answers without it. */
export async function readDocument(
	work: Scope,
	kind: DocumentKind,
	id: string,
): Promise<IDataObject> {
	const body = await work.pbx.send({ method: 'GET', path: [kind.path, id], ...scopeOf(work) });
	const document = documentOf(body);
	if (document && Object.keys(document).some((name) => name !== 'id')) return { id, ...document };
	throw new PbxError({
		kind: 'unexpected',
		reason: `The PBX returned no data for the ${kind.noun} ${id}`,
		hint: `Check the ID. If the ${kind.noun} exists, ask your provider why the PBX answers without it.`,
	});
}

/** What was sent to change a document, and the response. */
export interface Change {
	answer: unknown;
	sent: IDataObject;
}

/**
 * Reads a document, puts changes over it, and writes the whole. The changes are made from this very reading, so that
 * nothing is lost of what someone else wrote before. Throws PbxError.
 */
export async function changeDocument(
	work: Scope,
	kind: DocumentKind,
	id: string,
	changesOf: (current: IDataObject) => IDataObject,
): Promise<Change> {
	const current = await readDocument(work, kind, id);
	return await writeDocument(work, kind, { id, current, changes: changesOf(current) });
}

/** Writes a document that has just been read, with changes (POST, §4.2, §4.4). */
export async function writeDocument(
	work: Scope,
	kind: DocumentKind,
	{ id, current, changes }: { id: string; current: IDataObject; changes: IDataObject },
): Promise<Change> {
	const sent = mergeDocument(current, changes);
	const path = [kind.path, id];
	const answer = await work.pbx.send({ method: 'POST', path, data: sent, ...scopeOf(work) });
	return { answer, sent };
}

/**
 * Gives what an update has to send so that nothing is lost: every field of the document as it is, with those changes
 * over it that are not undefined; without what the PBX keeps or computes by itself.
 */
export function mergeDocument(current: IDataObject, changes: IDataObject): IDataObject {
	const kept = Object.entries(current).filter(([name, value]) => !isReadOnly(name, value));
	const set = Object.entries(changes).filter(([, value]) => value !== undefined);
	return Object.fromEntries([...kept, ...set]);
}

/** Fields that a PBX computes for its answers; posted back, it would store them. */
const COMPUTED = ['id', 'metadata', 'disable_reason'];

/** The ID, computed fields, `_…` and `pvt_…` fields, and what belongs to the list: a boolean `featurecode`, and `modules`. */
function isReadOnly(name: string, value: unknown): boolean {
	if (COMPUTED.includes(name) || /^(?:_|pvt_)/.test(name)) return true;
	if (name === 'modules') return Array.isArray(value);
	return name === 'featurecode' && (typeof value === 'boolean' || value === null);
}

/** Removes a document; gives its ID and `deleted: true`. */
export async function deleteDocument(
	work: Scope,
	kind: DocumentKind,
	id: string,
): Promise<IDataObject> {
	await work.pbx.send({ method: 'DELETE', path: [kind.path, id], ...scopeOf(work) });
	return { id, deleted: true };
}

/** Throws the error of a creation, which says so where the PBX may have created the document all the same. */
export function failCreation(kind: DocumentKind, error: unknown): never {
	if (error instanceof PbxError && error.mayHaveActed)
		error.advise({
			after: `The ${kind.noun} may have been created anyway. Check with Get Many before you run this again.`,
		});
	throw error;
}

/**
 * Makes a whole document of the answer to a write, whose shape the contract does not show (§4.2 note 4, §4.4): where
 * the answer lacks the document, it is read. When that does not work, or no ID is known, what was sent is given.
 */
export async function wholeDocument(
	work: Scope,
	kind: DocumentKind,
	{ id, answer, sent }: { id: string | undefined; answer: unknown; sent: IDataObject },
): Promise<IDataObject> {
	const told = documentOf(answer) ?? {};
	if (id === undefined) return { ...sent, ...told };
	if (told[kind.mark] !== undefined) return { id, ...told };
	const document = await work.pbx
		.send({ method: 'GET', path: [kind.path, id], ...scopeOf(work) })
		.then(documentOf, () => undefined);
	return { id, ...(document ?? { ...sent, ...told }) };
}

/** Finds the document in an answer, in whatever wrapping, without what belongs to the envelope (§2.1), the token above all. */
export function documentOf(answer: unknown): IDataObject | undefined {
	const payload = unwrap(answer);
	const single: unknown = Array.isArray(payload) && payload.length === 1 ? payload[0] : payload;
	if (!isObject(single)) return undefined;
	const fields =
		single === answer ? Object.entries(single).filter(isNoEnvelope) : Object.entries(single);
	return fields.length === 0 ? undefined : (Object.fromEntries(fields) as IDataObject);
}

function isNoEnvelope([name, value]: [string, unknown]): boolean {
	return (
		!['auth_token', 'request_id', 'revision'].includes(name) &&
		!(name === 'status' && value === 'success')
	);
}

/** Finds the ID in the answer to a creation. */
export function createdId(answer: unknown): string | undefined {
	const places = [documentOf(answer), answer].filter(isObject);
	return places
		.flatMap(({ id, _id, webhook_id }) => [id, _id, webhook_id].map((one) => asText(one)))
		.find((id) => id !== undefined);
}

/** The part of a request that says where to work. */
export function scopeOf({ accountId }: Scope): Omit<Scope, 'pbx'> {
	return { accountId };
}
