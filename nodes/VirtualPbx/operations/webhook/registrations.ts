import type { IDataObject } from 'n8n-workflow';

import { findSecrets } from '../../events/secret';
import { refusal } from '../../fields/inputs';
import type { ItemContext } from '../../fields/inputs';
import { CONCURRENT_READS } from '../../transport/limits';
import { readList } from '../../transport/list';
import { isObject } from '../../values/json';
import { documentOf, createdId, scopeOf, WEBHOOK } from '../../transport/documents';
import type { Scope } from '../../transport/documents';
import { mapInOrder } from '../../transport/mapInOrder';

/**
 * Reads the address under which leftovers are looked for.
 *
 * @throws NodeOperationError for one that is empty or no web address, since it decides what is deleted
 */
export function readAddress(at: ItemContext, value: unknown): URL {
	const text = typeof value === 'string' ? value.trim() : '';
	if (text === '')
		throw refusal(
			at,
			'Address is empty',
			'Enter the address of the webhooks that you want to find, such as https://old-n8n.example.com/',
		);
	const isWeb = /^https?:\/\/[^/?#]/i.test(text) && URL.canParse(text);
	const address = isWeb ? new URL(text) : undefined;
	if (address && !/[?#*]/.test(text) && address.username === '' && address.password === '')
		return address;
	throw refusal(
		at,
		`Address "${text.replace(/\/\/[^/]*@/, '//')}" cannot be used`,
		'Enter an address that begins with https:// or http:// and has no user name, query, or wildcard.',
	);
}

/** Tells whether an address is another one, or lies under its path: `/n8n` has `/n8n/webhook` under it, not `/n8n2`. */
export function isUnder(uri: unknown, address: URL): boolean {
	if (typeof uri !== 'string' || !URL.canParse(uri)) return false;
	const { origin, pathname } = new URL(uri);
	const path = address.pathname.replace(/\/+$/, '');
	return origin === address.origin && (pathname === path || pathname.startsWith(`${path}/`));
}

/**
 * Finds the webhooks that event triggers of this package have made (§4.4). They are known by the mark in their custom data;
 * list items that lack it, or their address, are read one by one.
 *
 * @param mayCount leaves addresses out before anything is read
 * @throws NodeApiError when the PBX refuses
 */
export async function findRegistrations(
	work: Scope,
	mayCount: (uri: unknown) => boolean = () => true,
): Promise<IDataObject[]> {
	const listed = await readList(work.pbx, { path: [WEBHOOK.path], ...scopeOf(work) });
	const possible = listed.filter(({ uri }) => typeof uri !== 'string' || mayCount(uri));
	const whole = await mapInOrder(possible.length, CONCURRENT_READS, async (index) => {
		const item = possible[index] ?? {};
		return item.uri !== undefined && isMarked(item) ? item : await complete(work, item);
	});
	return whole.filter((webhook) => mayCount(webhook.uri) && isMarked(webhook));
}

function isMarked({ custom_data: data }: IDataObject): boolean {
	return findSecrets({ data }).length > 0;
}

async function complete(work: Scope, item: IDataObject): Promise<IDataObject> {
	const id = createdId(item) ?? (typeof item.value === 'string' ? item.value : undefined);
	if (id === undefined) return item;
	const outcome = await work.pbx.attempt({
		method: 'GET',
		path: [WEBHOOK.path, id],
		...scopeOf(work),
	});
	if (outcome.ok) {
		const details = documentOf(outcome.body);
		return { id, ...item, ...(isObject(details) ? details : {}) };
	}
	// One that is gone, or that this login may not read, is judged by what the list says of it.
	if ([400, 403, 404].includes(outcome.failure.status ?? 0)) return item;
	throw outcome.error;
}
