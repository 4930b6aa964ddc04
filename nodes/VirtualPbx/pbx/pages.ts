import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../util/json';
import type { Pbx } from './client';
import { PbxError } from './errors/pbxError';
import { listIn } from './http/envelope';
import type { PbxRequest } from './http/request';

/** How many pages a list may have, and how many of them in a row without a row. */
const MOST_PAGES = 10_000;
const MOST_EMPTY_PAGES = 1000;

/**
 * Reads a list page by page where the PBX pages by cursor (`next_start_key` → `start_key`); the contract shows no paging
 * (§4), so none is asked for. Rows on both sides of a seam are returned once. Throws PbxError, also where a response holds
 * no list, and where the PBX announces more than it sends.
 */
export async function* readPages(
	pbx: Pbx,
	request: Omit<PbxRequest, 'method'>,
): AsyncGenerator<IDataObject[]> {
	const cursors = new Set<string>();
	let cursor: string | undefined;
	let before: IDataObject[] = [];
	let rows = 0;
	let emptyPages = 0;
	do {
		const query = cursor === undefined ? request.query : { ...request.query, start_key: cursor };
		const body = await pbx.send({ isList: true, ...request, method: 'GET', query });
		const page = entriesOf(body);
		const fresh = withoutSeam(before, page, { cursor, rows });
		yield fresh;

		cursor = nextCursor(body);
		rows += page.length;
		emptyPages = page.length === 0 ? emptyPages + 1 : 0;
		if (page.length > 0) before = page;
		const isStuck =
			(page.length > 0 && fresh.length === 0) ||
			cursors.size >= MOST_PAGES - 1 ||
			emptyPages >= MOST_EMPTY_PAGES;
		if (cursor !== undefined && (isStuck || cursors.has(cursor))) throw incomplete();
		if (cursor !== undefined) cursors.add(cursor);
	} while (cursor !== undefined);
}

/** The error for a list whose rest the PBX announces and does not send: half a list must not pass for a whole one. */
function incomplete(): PbxError {
	return new PbxError({
		kind: 'unexpected',
		reason: 'The PBX sent only part of the list',
		hint: 'It announces more entries (next_start_key), but sends the same ones again. Ask for less at once, such as a shorter time range. If that does not help, ask your provider why the list does not go on.',
	});
}

/** Where a page begins: at a cursor, after so many rows. */
interface Start {
	cursor: string | undefined;
	rows: number;
}

/** Leaves out what a page repeats of the page before it: where its key is not unique, it begins with rows of the same key. */
function withoutSeam(before: readonly IDataObject[], page: IDataObject[], start: Start) {
	if (before.length === 0 || page.length === 0) return page;
	const [ids, ownIds] = [idsOf(before), idsOf(page)];
	if (ids && ownIds) return withoutIds(ids, ownIds, page);
	return page.slice(overlapOf(before, page, start));
}

/** The IDs of a page's rows; undefined where not each has one of its own. */
function idsOf(page: readonly IDataObject[]): Set<string> | undefined {
	const ids = new Set(page.flatMap(({ id, _id }) => asText(id) ?? asText(_id) ?? []));
	return ids.size === page.length ? ids : undefined;
}

/** Leaves out the rows with which the page before ended, also where others have come between them or they have changed. */
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
 * How many rows without an ID a page repeats: the longest beginning with which the page before ended. Alike in every
 * field, these may also be rows of their own, unless the cursor is one of their values and cannot tell them apart. A cursor
 * that counts rows repeats none, and a single row that is alike is no repetition.
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
 * Tells whether a cursor cannot tell rows that are alike apart: it is a value of theirs, or a time, or a list of such; and
 * whether they need not be told apart, since a leg's Call-ID stands once in a list.
 */
function isKeyOf(row: IDataObject | undefined, cursor: string): boolean {
	const values = new Set(Object.values(row ?? {}).map((value) => asText(value)));
	const isValue = (part: unknown) => values.has(asText(part)) || isTime(part);
	const parts = cursor.startsWith('[') ? (JSON.parse(cursor) as unknown[]) : [cursor];
	return asText(row?.call_id ?? row?.CALL_ID) !== undefined || parts.every(isValue);
}

/** Tells a time in seconds, or a part of one, from a place in a list. */
function isTime(part: unknown): boolean {
	return /^\d{10,}$/.test(asText(part) ?? '');
}

/** The length of the longest beginning of one list that is an end of the other (Knuth, Morris, and Pratt): linear. */
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

/** The cursor as a query takes it: one of several parts goes as JSON, since its end would be taken for the list's. */
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
