import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../util/json';
import { listIn } from './envelope';
import { endless } from './errors/failures';
import { PbxError } from './errors/pbxError';
import { LIMITS } from './timeouts';
import type { PbxRequest, Requester } from './types';

/** Which entries of a list to read. */
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
 * (§4), so none is requested. Returns rows at a page boundary once. Throws PbxError, even if a response holds no
 * list, or if the PBX announces more than it sends.
 */
export async function* readPages(
	pbx: Pick<Requester, 'send'>,
	request: Omit<PbxRequest, 'method'>,
): AsyncGenerator<IDataObject[]> {
	const cursors = new Set<string>();
	let cursor: string | undefined;
	let before: IDataObject[] = [];
	let rows = 0;
	let emptyPages = 0;
	const budget = { bytes: LIMITS.listBytes };
	do {
		const query = cursor === undefined ? request.query : { ...request.query, start_key: cursor };
		const body = await pbx.send({ isList: true, ...request, budget, method: 'GET', query });
		const page = entriesOf(body);
		if (rows + page.length > LIMITS.listRows) throw endless('list', { rows: LIMITS.listRows });
		const fresh = withoutSeam(before, page, { cursor, rows });
		yield fresh;

		cursor = nextCursor(body);
		rows += page.length;
		emptyPages = page.length === 0 ? emptyPages + 1 : 0;
		if (page.length > 0) before = page;
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

/** A page's start: its cursor, and the number of rows before it. */
interface Start {
	cursor: string | undefined;
	rows: number;
}

/**
 * Removes rows that a page repeats from the one before: if its key isn't unique, it begins with rows of the same key.
 */
function withoutSeam(before: readonly IDataObject[], page: IDataObject[], start: Start) {
	if (before.length === 0 || page.length === 0) return page;
	const [ids, ownIds] = [idsOf(before), idsOf(page)];
	if (ids && ownIds) return withoutIds(ids, ownIds, page);
	return page.slice(overlapOf(before, page, start));
}

/** Returns the IDs of a page's rows; undefined unless each row has its own. */
function idsOf(page: readonly IDataObject[]): Set<string> | undefined {
	const ids = new Set(page.flatMap(({ id, _id }) => asText(id) ?? asText(_id) ?? []));
	return ids.size === page.length ? ids : undefined;
}

/** Removes the rows that ended the page before, even if they have changed or others are now among them. */
function withoutIds(
	before: ReadonlySet<string>,
	own: ReadonlySet<string>,
	page: IDataObject[],
): IDataObject[] {
	const inOrder = [...before].reverse();
	const end = inOrder.findIndex((id) => !own.has(id));
	const repeated = new Set(end < 0 ? inOrder : inOrder.slice(0, end));
	const ownIds = [...own];
	return repeated.size === 0 ? page : page.filter((_, n) => !repeated.has(ownIds[n] ?? ''));
}

/**
 * Returns how many rows without an ID a page repeats: its longest beginning that ended the page before. Rows that are
 * equal in every field can also be separate ones, unless the cursor is one of their values and so can't distinguish
 * them. A cursor that counts rows repeats none, and a single equal row isn't a repetition.
 */
function overlapOf(
	before: readonly IDataObject[],
	page: readonly IDataObject[],
	{ cursor = '', rows }: Start,
): number {
	const [ended, begins] = [before, page].map((all) => all.map((row) => JSON.stringify(row)));
	if (!ended || !begins) return 0;
	const overlap = longestBorder(begins, ended);
	if (isKeyOf(page[0], cursor)) return overlap;
	const isWholePage = overlap === page.length && overlap === before.length;
	const isVaried = begins.slice(0, overlap).some((row) => row !== begins[0]);
	return cursor !== String(rows) && (isWholePage || isVaried) ? overlap : 0;
}

/**
 * Returns whether a cursor can't distinguish equal rows, because it's one of their values, a time, or a list of
 * those; or doesn't need to, because a leg's Call-ID is unique in a list.
 */
function isKeyOf(row: IDataObject | undefined, cursor: string): boolean {
	const values = new Set(Object.values(row ?? {}).map((value) => asText(value)));
	const isValue = (part: unknown) => values.has(asText(part)) || isTime(part);
	const parts = cursor.startsWith('[') ? (JSON.parse(cursor) as unknown[]) : [cursor];
	return asText(row?.call_id ?? row?.CALL_ID) !== undefined || parts.every(isValue);
}

/** Returns whether a cursor, or a part of one, is a time in seconds rather than a position in the list. */
function isTime(part: unknown): boolean {
	return /^\d{10,}$/.test(asText(part) ?? '');
}

/**
 * Returns the length of the longest beginning of one list that is an end of the other, in linear time (Knuth, Morris,
 * and Pratt).
 */
function longestBorder(begins: readonly string[], ended: readonly string[]): number {
	const fallBack: number[] = [0];
	const extend = (length: number, row: string | undefined): number => {
		let matched = length === begins.length ? (fallBack[length - 1] ?? 0) : length;
		while (matched > 0 && begins[matched] !== row) matched = fallBack[matched - 1] ?? 0;
		return begins[matched] === row ? matched + 1 : matched;
	};
	for (let n = 1; n < begins.length; n++) fallBack[n] = extend(fallBack[n - 1] ?? 0, begins[n]);
	return ended.reduce(extend, 0);
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
