import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../util/json';
import { PbxError } from './errors/pbxError';
import { endless, LIMITS, listIn, unwrap } from './response';
import type { PbxRequest, Requester } from './types';

interface DocumentKind {
	/** Path segment (§4.2, §4.4). */
	path: string;
	noun: string;
	/** A field that every full document has, to tell a full response from a partial one. */
	requiredField: string;
}

const KINDS = {
	callflow: { path: 'callflows', noun: 'callflow', requiredField: 'flow' },
	webhook: { path: 'webhooks', noun: 'webhook', requiredField: 'uri' },
} as const satisfies Record<string, DocumentKind>;

export interface Written {
	response: unknown;
	sent: IDataObject;
}

/** The objects of one kind in an account, as JSON. All methods throw PbxError. */
export class Documents {
	private readonly kind: DocumentKind;

	constructor(
		private readonly pbx: Requester,
		kind: keyof typeof KINDS,
	) {
		this.kind = KINDS[kind];
	}

	/** Reads a document by its ID. Throws even if the PBX responds without the document. */
	async get(id: string): Promise<IDataObject> {
		const { noun } = this.kind;
		const document = documentOf(await this.send('GET', id));
		if (document && Object.keys(document).some((name) => name !== 'id')) return { id, ...document };
		throw new PbxError({
			kind: 'unexpected',
			reason: `The PBX returned no data for the ${noun} ${id}`,
			hint: `Check the ID. If the ${noun} exists, ask your provider why the PBX doesn't return it.`,
		});
	}

	/**
	 * Reads a document, applies changes, and writes all of it. The changes are computed from this read, so that earlier
	 * edits by others aren't lost.
	 */
	async change(id: string, changesOf: (current: IDataObject) => IDataObject): Promise<Written> {
		const current = await this.get(id);
		return await this.replace(id, mergeDocument(current, changesOf(current)));
	}

	/** Writes a whole document (POST, §4.2, §4.4). */
	async replace(id: string, sent: IDataObject): Promise<Written> {
		return { response: await this.send('POST', id, { data: sent }), sent };
	}

	async delete(id: string, options: Pick<PbxRequest, 'evenWhenCancelled'> = {}): Promise<void> {
		await this.send('DELETE', id, options);
	}

	/**
	 * Completes the response to a write, whose shape the contract doesn't show (§4.2 note 4, §4.4): reads the document
	 * if the response lacks it. If that fails, or there is no ID, returns what was sent.
	 */
	async complete(id: string | undefined, { response, sent }: Written): Promise<IDataObject> {
		const returned = documentOf(response) ?? {};
		if (id === undefined) return { ...sent, ...returned };
		if (returned[this.kind.requiredField] !== undefined) return { id, ...returned };
		const document = await this.send('GET', id).then(documentOf, () => undefined);
		return { id, ...(document ?? { ...sent, ...returned }) };
	}

	/** Throws a creation's error, with advice if the PBX might have created the document anyway. */
	failCreation(error: unknown): never {
		if (error instanceof PbxError && error.mayHaveActed)
			error.advise({
				after: `The ${this.kind.noun} might have been created anyway. Check with Get Many before you run this again.`,
			});
		throw error;
	}

	async send(
		method: PbxRequest['method'],
		id: string,
		options: Partial<PbxRequest> = {},
	): Promise<unknown> {
		return await this.pbx.send({ ...options, method, path: [this.kind.path, id] });
	}
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

/**
 * Finds the document in a response, however it's wrapped, without the envelope's fields (§2.1), above all the token.
 */
export function documentOf(response: unknown): IDataObject | undefined {
	const payload = unwrap(response);
	const single: unknown = Array.isArray(payload) && payload.length === 1 ? payload[0] : payload;
	if (!isObject(single)) return undefined;
	const fields =
		single === response ? Object.entries(single).filter(isNoEnvelope) : Object.entries(single);
	return fields.length === 0 ? undefined : (Object.fromEntries(fields) as IDataObject);
}

function isNoEnvelope([name, value]: [string, unknown]): boolean {
	return (
		!['auth_token', 'request_id', 'revision'].includes(name) &&
		!(name === 'status' && value === 'success')
	);
}

/** Finds the ID in a document, or in the response to a creation. */
export function idIn(response: unknown): string | undefined {
	const places = [documentOf(response), response].filter(isObject);
	return places.flatMap(
		({ id, _id, webhook_id: webhookId }) => asText(id) ?? asText(_id) ?? asText(webhookId) ?? [],
	)[0];
}

export interface ListOptions<T> {
	/** By default, all. */
	limit?: number | undefined;
	/** Excludes entries before they count toward the limit. */
	keep?: ((entry: T) => boolean) | undefined;
}

/** Reads a list up to a limit. Throws PbxError. */
export async function readList(
	pbx: Pick<Requester, 'send'>,
	request: Omit<PbxRequest, 'method'>,
	{ limit, keep = () => true }: ListOptions<IDataObject> = {},
): Promise<IDataObject[]> {
	const entries: IDataObject[] = [];
	for await (const page of readPages(pbx, request)) {
		for (const entry of page) if (keep(entry)) entries.push(entry);
		if (limit !== undefined && entries.length >= limit) return entries.slice(0, limit);
	}
	return entries;
}

/** How many pages a list can have, and how many empty ones in a row. */
const MAX_PAGES = 10_000;
const MAX_EMPTY_PAGES = 1000;

/**
 * Reads a list page by page if the PBX pages by cursor (`next_start_key` → `start_key`). The contract shows no paging
 * (§4), so none is requested. If a cursor isn't unique, a page begins with rows of the one before: returns rows with an
 * ID once. Throws PbxError, even if a response holds no list, or if the PBX announces more than it sends.
 */
export async function* readPages(
	pbx: Pick<Requester, 'send'>,
	request: Omit<PbxRequest, 'method'>,
): AsyncGenerator<IDataObject[]> {
	const cursors = new Set<string>();
	let cursor: string | undefined;
	let before: Array<string | undefined> = [];
	let rows = 0;
	let emptyPages = 0;
	const budget = { bytes: LIMITS.listBytes };
	do {
		const query = cursor === undefined ? request.query : { ...request.query, start_key: cursor };
		const body = await pbx.send({ isList: true, ...request, budget, method: 'GET', query });
		const page = entriesOf(body);
		if (rows + page.length > LIMITS.listRows) throw endless('list', { rows: LIMITS.listRows });
		const ids = page.map(rowId);
		const seam = seamOf(before, ids);
		const fresh = page.filter((row) => !seam.has(rowId(row)));
		yield fresh;

		cursor = nextCursor(body);
		rows += page.length;
		emptyPages = page.length === 0 ? emptyPages + 1 : 0;
		if (page.length > 0) before = ids;
		const isStuck =
			(page.length > 0 && fresh.length === 0) ||
			cursors.size >= MAX_PAGES - 1 ||
			emptyPages >= MAX_EMPTY_PAGES;
		if (cursor !== undefined && (isStuck || cursors.has(cursor))) throw incomplete();
		if (cursor !== undefined) cursors.add(cursor);
	} while (cursor !== undefined);
}

/** Creates the error for a list that the PBX doesn't send to the end: a partial list must not pass for a full one. */
function incomplete(): PbxError {
	return new PbxError({
		kind: 'unexpected',
		reason: 'The PBX sent only part of the list',
		hint: "It announces more entries (next_start_key), but sends the same ones again. Request less at once, such as a shorter time range. If that doesn't help, ask your provider why the list doesn't continue.",
	});
}

/** Returns the IDs that end one page and are on the next one; none if rows share what they call an ID. */
function seamOf(
	before: ReadonlyArray<string | undefined>,
	next: ReadonlyArray<string | undefined>,
): Set<string | undefined> {
	const seam = new Set<string | undefined>();
	const own = new Set(next);
	if (new Set(before).size < before.length || own.size < next.length) return seam;
	for (const id of [...before].reverse()) {
		if (id === undefined || !own.has(id)) break;
		seam.add(id);
	}
	return seam;
}

function rowId({ id, _id }: IDataObject): string | undefined {
	return asText(id) ?? asText(_id);
}

/**
 * Returns the cursor for the next query. One with several parts is sent as JSON, since its end would be taken for the
 * list's.
 */
function nextCursor(body: unknown): string | undefined {
	const key: unknown = isObject(body) ? body.next_start_key : undefined;
	if (typeof key === 'object' && key !== null)
		return Object.keys(key).length > 0 ? JSON.stringify(key) : undefined;
	const text = asText(key);
	return key === 0 || text === 'undefined' || text === 'null' ? undefined : text;
}

function entriesOf(body: unknown): IDataObject[] {
	return (listIn(body) ?? []).map((entry) =>
		isObject(entry) ? entry : { value: entry as string },
	);
}
