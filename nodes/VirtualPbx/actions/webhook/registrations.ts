import type { Place } from '../../parameters/parameter';
import { parameterError } from '../../parameters/parameter';
import type { Pbx } from '../../pbx/client';
import type { Webhook } from '../../pbx/webhooks/webhooks';

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
export function isUnder(uri: string | undefined, address: URL): boolean {
	if (uri === undefined || !URL.canParse(uri)) return false;
	const { origin, pathname } = new URL(uri);
	const path = address.pathname.replace(/\/+$/, '');
	return origin === address.origin && (pathname === path || pathname.startsWith(`${path}/`));
}

/** Options of a search for registrations. */
interface Search {
	/** Excludes addresses before anything is read. */
	mayCount?: (uri: string | undefined) => boolean;
	/** Includes webhooks whose custom data the PBX hides, found by name and address. For display only. */
	alsoByName?: boolean;
}

/**
 * Finds the webhooks that this package's event triggers created (§4.4), by the tag in their custom data. List items
 * without it, or without an address, are read one by one. Throws PbxError.
 */
export async function findRegistrations(
	{ webhooks }: Pbx,
	{ mayCount = () => true, alsoByName = false }: Search = {},
): Promise<Webhook[]> {
	const listed = await webhooks.list({ isList: 'orNothing' });
	const possible = listed.filter(({ uri }) => uri === undefined || mayCount(uri));
	const isWhole = ({ uri, tags }: Webhook) => uri !== undefined && tags.length > 0;
	const read = await webhooks.readAll(possible.filter((webhook) => !isWhole(webhook)));
	const isOurs = (webhook: Webhook) =>
		webhook.tags.length > 0 || (alsoByName && isNamedAsOurs(webhook));
	return [...possible.filter(isWhole), ...read].filter(
		(webhook) => mayCount(webhook.uri) && isOurs(webhook),
	);
}

/** The path that n8n assigns to an event trigger, after any prefix. */
const TRIGGER_PATH = /\/webhook\/[^/]+\/webhook\/?$/;

function isNamedAsOurs({ workflow, uri = '', customData }: Webhook): boolean {
	if (Object.keys(customData).length > 0 || workflow === undefined) return false;
	return URL.canParse(uri) && TRIGGER_PATH.test(new URL(uri).pathname);
}
