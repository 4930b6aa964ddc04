import type { IDataObject } from 'n8n-workflow';

import { workflowIn } from '../../events/health';
import { findSecrets } from '../../events/secret';
import { refusal } from '../../fields/inputs';
import type { ItemContext } from '../../fields/inputs';
import { CONCURRENT_READS } from '../../transport/limits';
import { withKeysAsIds } from '../../transport/envelope';
import { readList } from '../../transport/list';
import { asText, isObject } from '../../values/json';
import { documentOf, createdId, scopeOf, WEBHOOK } from '../../transport/documents';
import type { Scope } from '../../transport/documents';
import type { Attempt } from '../../transport/pbx';
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

/** How registrations are looked for. */
interface Search {
	/** Leaves addresses out before anything is read. */
	mayCount?: (uri: unknown) => boolean;
	/**
	 * Nothing is done to what is found. So a webhook that cannot be read, and is not known as ours by the list, is left out,
	 * and one whose custom data the PBX does not show is known by its name and address.
	 */
	onlyLooks?: boolean;
}

/**
 * Finds the webhooks that event triggers of this package have made (§4.4). They are known by the mark in their custom data;
 * list items that lack it, or their address, are read one by one.
 *
 * @throws NodeApiError when the PBX refuses
 */
export async function findRegistrations(
	work: Scope,
	{ mayCount = () => true, onlyLooks = false }: Search = {},
): Promise<IDataObject[]> {
	const send: Scope['pbx']['send'] = async (request) => withKeysAsIds(await work.pbx.send(request));
	const listed = await readList({ ...work.pbx, send }, { path: [WEBHOOK.path], ...scopeOf(work) });
	const possible = listed.filter(({ uri }) => typeof uri !== 'string' || mayCount(uri));
	const isOurs = (webhook: IDataObject) =>
		isMarked(webhook) || (onlyLooks && isNamedAsOurs(webhook));
	let isAnyRead = false;
	const failures: Failed[] = [];
	const whole = await mapInOrder(possible.length, CONCURRENT_READS, async (index) => {
		const item = possible[index] ?? {};
		if (item.uri !== undefined && isMarked(item)) return item;
		const read = await complete(work, item);
		isAnyRead ||= read.ok;
		if (read.ok) return read.webhook;
		if (!onlyLooks || read.failure.kind === 'cancelled') throw read.error;
		if (!isOurs(item)) failures.push(read);
		return item;
	});
	const found = whole.filter((webhook) => mayCount(webhook.uri) && isOurs(webhook));
	// Where nothing at all can be read, an empty result would look as if nothing were registered.
	const [failed] = failures;
	if (failed && !isAnyRead && found.length === 0) throw failed.error;
	return found;
}

/** The ID of a list item, whatever the PBX calls it; an item may be nothing but its ID. */
export function idOf(item: IDataObject): string | undefined {
	return createdId(item) ?? asText(item.value);
}

function isMarked({ custom_data: data }: IDataObject): boolean {
	return findSecrets({ data }).length > 0;
}

/** The path that n8n gives an event trigger, behind whatever prefix. */
const TRIGGER_PATH = /\/webhook\/[^/]+\/webhook\/?$/;

/** Shows no custom data, but is named as the event trigger names webhooks, at an address as n8n gives it one. */
function isNamedAsOurs({ name, uri, custom_data: data }: IDataObject): boolean {
	const isShown = isObject(data) && Object.keys(data).length > 0;
	if (isShown || workflowIn(asText(name) ?? '') === undefined) return false;
	return typeof uri === 'string' && URL.canParse(uri) && TRIGGER_PATH.test(new URL(uri).pathname);
}

type Failed = Extract<Attempt, { ok: false }>;

async function complete(
	work: Scope,
	item: IDataObject,
): Promise<{ ok: true; webhook: IDataObject } | Failed> {
	const id = idOf(item);
	if (id === undefined) return { ok: true, webhook: item };
	const outcome = await work.pbx.attempt({
		method: 'GET',
		path: [WEBHOOK.path, id],
		...scopeOf(work),
	});
	if (outcome.ok) {
		const details = documentOf(outcome.body);
		return { ok: true, webhook: { id, ...item, ...details } };
	}
	// One that is gone, or that this login may not read, is judged by what the list says of it.
	const isJudged = [400, 403, 404].includes(outcome.failure.status ?? 0);
	return isJudged ? { ok: true, webhook: item } : outcome;
}
