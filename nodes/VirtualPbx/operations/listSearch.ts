import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { readPage } from '../transport/list';
import { openPbx } from '../transport/pbx';
import { asText, isObject } from '../values/json';

/** Enough to fill the list; reading stops here where the PBX pages. */
const ENOUGH = 50;

/** How many pages are read for one answer; the editor asks on by itself where somebody scrolls. */
const MAX_PAGES = 100;

/** Lists callflows by name, number or ID for the resource locator (§4.2). */
async function searchCallflows(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await search(this, { path: 'callflows', nameOf: callflowName, filter, paginationToken });
}

/** Lists webhooks by name, event, address or ID for the resource locator (§4.4). */
async function searchWebhooks(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await search(this, { path: 'webhooks', nameOf: webhookName, filter, paginationToken });
}

interface Search {
	path: string;
	nameOf: (entry: IDataObject) => string;
	filter: string | undefined;
	paginationToken: string | undefined;
}

/** Reads on where the PBX pages, until enough entries match; the next cursor is handed to the editor. */
async function search(
	context: ILoadOptionsFunctions,
	wanted: Search,
): Promise<INodeListSearchResult> {
	const pbx = await openPbx(context);
	const request = { path: [wanted.path], accountId: currentAccountId(context) };
	const results: INodeListSearchResult['results'] = [];
	const seen = new Set<string>();
	let cursor = wanted.paginationToken;
	do {
		const page = await readPage(pbx, request, cursor);
		results.push(...resultsOf(page.entries, wanted));
		if (cursor !== undefined) seen.add(cursor);
		cursor = page.next === undefined || seen.has(page.next) ? undefined : page.next;
	} while (cursor !== undefined && results.length < ENOUGH && seen.size < MAX_PAGES);
	results.sort((a, b) => a.name.localeCompare(b.name));
	return { results, ...(cursor === undefined ? {} : { paginationToken: cursor }) };
}

function resultsOf(
	entries: IDataObject[],
	{ nameOf, filter }: Search,
): INodeListSearchResult['results'] {
	const words = (filter ?? '').trim().toLowerCase();
	return entries
		.map((entry) => ({ name: nameOf(entry), value: asText(entry.id) ?? '' }))
		.filter(({ name, value }) => value !== '' && `${name} ${value}`.toLowerCase().includes(words));
}

function callflowName(entry: IDataObject): string {
	const numbers = [entry.numbers, entry.patterns].flat().map(asText).filter(Boolean).join(', ');
	return named(entry, numbers);
}

function webhookName(entry: IDataObject): string {
	const target = asText(entry.uri)
		?.replace(/^https?:\/\//i, '')
		.replace(/[?#].*$/s, '');
	return named(entry, [asText(entry.hook), target].filter(Boolean).join(' → '));
}

function named(entry: IDataObject, details: string): string {
	const name = asText(entry.name);
	if (name === undefined) return details || (asText(entry.id) ?? '');
	return details ? `${name} (${details})` : name;
}

/** The account that the node works in; an expression that the editor could not resolve means the login's own. */
function currentAccountId(context: ILoadOptionsFunctions): string | undefined {
	const options: unknown = context.getCurrentNodeParameter('options');
	const id = isObject(options) ? asText(asText(options.accountId)?.trim()) : undefined;
	return id?.startsWith('=') ? undefined : id;
}

/** What the editor calls while a node is being set up, shared by all nodes. */
export const methods = { listSearch: { searchCallflows, searchWebhooks } };
