import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { toNodeError } from '../parameters/nodeError';
import { openPbx } from '../parameters/credential';
import { readList } from '../pbx/documents';
import { asText, isObject } from '../util/json';
import { bareNumber } from '../util/party';

/** How many entries to show at most. Users find others by typing part of the name. */
const MOST_SHOWN = 500;
const PATIENCE_MS = 30_000;

/** Lists callflows by name, number or ID for the resource locator (§4.2). */
async function searchCallflows(this: ILoadOptionsFunctions, filter?: string) {
	return await search(this, 'callflows', callflowName, filter);
}

/** Lists webhooks by name, event, address or ID for the resource locator (§4.4). */
async function searchWebhooks(this: ILoadOptionsFunctions, filter?: string) {
	return await search(this, 'webhooks', webhookName, filter);
}

async function search(
	context: ILoadOptionsFunctions,
	path: string,
	nameOf: (entry: IDataObject) => string,
	filter = '',
): Promise<INodeListSearchResult> {
	const pbx = await openPbx(context, { deadline: AbortSignal.timeout(PATIENCE_MS) });
	const words = filter.trim().toLowerCase();
	const number = bareNumber(words);
	const isNumber = /^\d+$/.test(number);
	const isFound = (entry: IDataObject) => {
		if (entry.id === undefined) return false;
		const text = `${nameOf(entry)} ${asText(entry.id)}`.toLowerCase();
		return text.includes(words) || (isNumber && text.includes(number));
	};
	const request = { path: [path], accountId: currentAccountId(context) };
	const found = await readList(pbx, request, MOST_SHOWN, isFound).catch((error: unknown) => {
		throw toNodeError(context, error);
	});
	const results = found.map((entry) => ({ name: nameOf(entry), value: asText(entry.id) ?? '' }));
	return { results: results.sort((a, b) => a.name.localeCompare(b.name)) };
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

/**
 * Returns the account that the node works in; undefined, the login's own, for an expression that the editor couldn't
 * resolve.
 */
function currentAccountId(context: ILoadOptionsFunctions): string | undefined {
	const options: unknown = context.getCurrentNodeParameter('options');
	const id = isObject(options) ? asText(asText(options.accountId)?.trim()) : undefined;
	return id?.startsWith('=') ? undefined : id;
}

/** Methods that the editor calls while a user edits a node, shared by all nodes. */
export const methods = { listSearch: { searchCallflows, searchWebhooks } };
