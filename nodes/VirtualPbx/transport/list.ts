import type { IDataObject } from 'n8n-workflow';

import { listIn } from '../values/answerWords';
import { asText, isObject } from '../values/json';
import type { Pbx } from './pbx';
import type { PbxRequest } from './request';

/**
 * Reads a list page by page where the PBX pages by cursor (`next_start_key` → `start_key`); the contract shows no paging
 * (§4), so none is asked for. A cursor that comes a second time ends the reading, and so does a page that comes again.
 * Throws NodeApiError, also where an answer holds no list.
 */
async function* readPages(
	pbx: Pbx,
	request: Omit<PbxRequest, 'method'>,
): AsyncGenerator<IDataObject[]> {
	const seen = new Set<string>();
	let cursor: string | undefined;
	let before: IDataObject[] = [];
	do {
		if (cursor !== undefined) seen.add(cursor);
		const query = cursor === undefined ? request.query : { ...request.query, start_key: cursor };
		const body = await pbx.send({ isList: true, ...request, method: 'GET', query });
		const entries = entriesOf(body);
		if (isSame(entries, before)) return;
		yield entries;
		before = entries;
		cursor = nextCursor(body);
	} while (cursor !== undefined && !seen.has(cursor));
}

function isSame(one: IDataObject[], other: IDataObject[]): boolean {
	return (
		one.length > 0 && one.length === other.length && JSON.stringify(one) === JSON.stringify(other)
	);
}

/** Reads a list up to a limit, all of it by default; `keep` leaves entries out before they count. */
export async function readList(
	pbx: Pbx,
	request: Omit<PbxRequest, 'method'>,
	limit?: number,
	keep: (entry: IDataObject) => boolean = () => true,
): Promise<IDataObject[]> {
	let entries: IDataObject[] = [];
	for await (const page of readPages(pbx, request)) {
		const wanted = page.filter(keep);
		entries = entries.length === 0 ? wanted : entries.concat(wanted);
		if (limit !== undefined && entries.length >= limit) return entries.slice(0, limit);
	}
	return entries;
}

/** The cursor as a query takes it: a key of several parts goes as JSON, since its end would be taken for the list's. */
function nextCursor(body: unknown): string | undefined {
	const key: unknown = isObject(body) ? body.next_start_key : undefined;
	return Array.isArray(key) && key.length > 0 ? JSON.stringify(key) : asText(key);
}

function entriesOf(body: unknown): IDataObject[] {
	return (listIn(body) ?? []).map((entry) =>
		isObject(entry) ? entry : { value: entry as string },
	);
}
