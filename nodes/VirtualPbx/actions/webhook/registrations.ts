import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../parameters/inputs';
import type { ItemContext } from '../../parameters/inputs';
import type { Scope } from '../../pbx/documents';
import { findTags } from '../../pbx/events/webhookTag';
import { workflowIn } from '../../pbx/webhooks/health';
import { listWebhooks, readWebhooks } from '../../pbx/webhooks/list';
import { asText, isObject } from '../../util/json';

/** Reads the address under which leftovers are looked for. Throws NodeOperationError for one that is empty or no web address. */
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
	/** Also those whose custom data the PBX does not show, known by name and address: to be looked at only. */
	alsoByName?: boolean;
}

/**
 * Finds the webhooks that event triggers of this package have made (§4.4). They are known by the mark in their custom
 * data; list items that lack it, or their address, are read one by one. Throws PbxError.
 */
export async function findRegistrations(
	{ pbx, accountId }: Scope,
	{ mayCount = () => true, alsoByName = false }: Search = {},
): Promise<IDataObject[]> {
	const place = { accountId };
	const listed = await listWebhooks(pbx, place);
	const possible = listed.filter(({ uri }) => typeof uri !== 'string' || mayCount(uri));
	const isWhole = (item: IDataObject) => item.uri !== undefined && isMarked(item);
	const read = await readWebhooks(
		pbx,
		possible.filter((item) => !isWhole(item)),
		place,
	);
	return [...possible.filter(isWhole), ...read].filter(
		(webhook) =>
			mayCount(webhook.uri) && (isMarked(webhook) || (alsoByName && isNamedAsOurs(webhook))),
	);
}

/** By the form of our mark, not by its name alone, which a stranger's custom data may share. */
function isMarked({ custom_data: data }: IDataObject): boolean {
	return findTags(data).length > 0;
}

/** The path that n8n gives an event trigger, behind whatever prefix. */
const TRIGGER_PATH = /\/webhook\/[^/]+\/webhook\/?$/;

function isNamedAsOurs({ name, uri, custom_data: data }: IDataObject): boolean {
	const isShown = isObject(data) && Object.keys(data).length > 0;
	if (isShown || workflowIn(asText(name) ?? '') === undefined) return false;
	return typeof uri === 'string' && URL.canParse(uri) && TRIGGER_PATH.test(new URL(uri).pathname);
}
