import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../util/json';
import type { Pbx } from './client';
import { PbxError } from './errors/pbxError';
import { unwrap } from './http/envelope';
import type { PbxRequest } from './http/request';
import { readPages } from './pages';

/** A kind of object that the PBX keeps under an account. */
export interface DocumentKind {
	/** Path segment (§4.2, §4.4). */
	path: string;
	noun: string;
	/** A field that every full document has, to tell a full response from a partial one. */
	mark: string;
}

export const CALLFLOW: DocumentKind = { path: 'callflows', noun: 'callflow', mark: 'flow' };

export const WEBHOOK: DocumentKind = { path: 'webhooks', noun: 'webhook', mark: 'uri' };

/** The PBX and account that an operation works in. */
export interface Scope {
	pbx: Pbx;
	accountId: string | undefined;
}

/** Reads a list up to a limit, by default all of it. `keep` excludes entries before they count toward the limit. */
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

/** Reads a document by its ID. Throws PbxError, even if the PBX responds without the document. */
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
		hint: `Check the ID. If the ${kind.noun} exists, ask your provider why the PBX doesn't return it.`,
	});
}

/** The data sent to change a document, and the response. */
export interface Change {
	answer: unknown;
	sent: IDataObject;
}

/**
 * Reads a document, applies changes, and writes all of it. The changes are computed from this read, so that earlier
 * edits by others aren't lost. Throws PbxError.
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

/** Writes a document that was just read, with changes (POST, §4.2, §4.4). */
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
 * Returns the full document to send in an update, so that nothing is lost: all current fields, overwritten by changes
 * that aren't undefined, without fields that the PBX maintains itself.
 */
export function mergeDocument(current: IDataObject, changes: IDataObject): IDataObject {
	const kept = Object.entries(current).filter(([name, value]) => !isReadOnly(name, value));
	const set = Object.entries(changes).filter(([, value]) => value !== undefined);
	return Object.fromEntries([...kept, ...set]);
}

/** Fields that a PBX computes for its responses. It would store them if they were posted back. */
const COMPUTED = ['id', 'metadata', 'disable_reason'];

/**
 * Recognizes the ID, computed fields, `_…` and `pvt_…` fields, and list-only fields: a boolean `featurecode`, and
 * `modules`.
 */
function isReadOnly(name: string, value: unknown): boolean {
	if (COMPUTED.includes(name) || /^(?:_|pvt_)/.test(name)) return true;
	if (name === 'modules') return Array.isArray(value);
	return name === 'featurecode' && (typeof value === 'boolean' || value === null);
}

export async function deleteDocument(work: Scope, kind: DocumentKind, id: string): Promise<void> {
	await work.pbx.send({ method: 'DELETE', path: [kind.path, id], ...scopeOf(work) });
}

/** Throws a creation's error, with advice if the PBX might have created the document anyway. */
export function failCreation(kind: DocumentKind, error: unknown): never {
	if (error instanceof PbxError && error.mayHaveActed)
		error.advise({
			after: `The ${kind.noun} might have been created anyway. Check with Get Many before you run this again.`,
		});
	throw error;
}

/**
 * Completes the response to a write, whose shape the contract doesn't show (§4.2 note 4, §4.4): reads the document if
 * the response lacks it. If that fails, or there is no ID, returns what was sent.
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

/**
 * Finds the document in a response, however it's wrapped, without the envelope's fields (§2.1), above all the token.
 */
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

/** Finds the ID in the response to a creation. */
export function createdId(answer: unknown): string | undefined {
	const places = [documentOf(answer), answer].filter(isObject);
	return places.flatMap((place) => idOf(place) ?? [])[0];
}

/** Returns the ID in a document, under any name that a PBX gives it. */
export function idOf({ id, _id, webhook_id: webhookId }: IDataObject): string | undefined {
	return asText(id) ?? asText(_id) ?? asText(webhookId);
}

/** Returns the part of a request that selects the account. */
export function scopeOf({ accountId }: Scope): Omit<Scope, 'pbx'> {
	return { accountId };
}
