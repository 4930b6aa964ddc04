import type { IDataObject } from 'n8n-workflow';

import type { Place } from '../../parameters/parameter';
import { parameterError } from '../../parameters/parameter';
import type { Scope } from '../../pbx/documents';
import { findTags } from '../../pbx/events/webhookTag';
import { workflowIn } from '../../pbx/webhooks/health';
import { listWebhooks, readWebhooks } from '../../pbx/webhooks/list';
import { asText, isObject } from '../../util/json';

/** Reads the address to search for leftovers. Throws NodeOperationError if it is empty or no web address. */
export function readAddress(at: Place, value: unknown): URL {
	const text = typeof value === 'string' ? value.trim() : '';
	if (text === '')
		throw parameterError(
			at,
			"'Address' is empty",
			'Enter the address of the webhooks that you want to find, such as https://old-n8n.example.com/',
		);
	const isWeb = /^https?:\/\/[^/?#]/i.test(text) && URL.canParse(text);
	const address = isWeb ? new URL(text) : undefined;
	if (address && !/[?#*]/.test(text) && address.username === '' && address.password === '')
		return address;
	throw parameterError(
		at,
		`'Address' can't be used: ${text.replace(/\/\/[^/]*@/, '//')}`,
		'Enter an address that begins with https:// or http:// and has no user name, query, or wildcard.',
	);
}

/** Returns whether a URI equals an address or is below its path: `/n8n/webhook` is below `/n8n`, `/n8n2` isn't. */
export function isUnder(uri: unknown, address: URL): boolean {
	if (typeof uri !== 'string' || !URL.canParse(uri)) return false;
	const { origin, pathname } = new URL(uri);
	const path = address.pathname.replace(/\/+$/, '');
	return origin === address.origin && (pathname === path || pathname.startsWith(`${path}/`));
}

/** Options of a search for registrations. */
interface Search {
	/** Excludes addresses before anything is read. */
	mayCount?: (uri: unknown) => boolean;
	/** Includes webhooks whose custom data the PBX hides, found by name and address. For display only. */
	alsoByName?: boolean;
}

/**
 * Finds the webhooks that this package's event triggers created (§4.4), by the tag in their custom data. List items
 * without it, or without an address, are read one by one. Throws PbxError.
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

/** Checks the tag's format, since a stranger's custom data could use its name. */
function isMarked({ custom_data: data }: IDataObject): boolean {
	return findTags(data).length > 0;
}

/** The path that n8n assigns to an event trigger, after any prefix. */
const TRIGGER_PATH = /\/webhook\/[^/]+\/webhook\/?$/;

function isNamedAsOurs({ name, uri, custom_data: data }: IDataObject): boolean {
	const isShown = isObject(data) && Object.keys(data).length > 0;
	if (isShown || workflowIn(asText(name) ?? '') === undefined) return false;
	return typeof uri === 'string' && URL.canParse(uri) && TRIGGER_PATH.test(new URL(uri).pathname);
}
