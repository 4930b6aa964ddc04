import type { IHookFunctions } from 'n8n-workflow';

import { deliveryOptionsIn, deliveryUrl, skipUrlCheck } from '../../parameters/options';
import { parameterError, triggerScope } from '../../parameters/parameter';
import type { CredentialData } from '../../pbx/types';
import { readCredential } from '../../pbx/credential';

/**
 * Returns where the PBX calls a trigger: n8n's URL, or Delivery URL instead. Throws NodeOperationError if there is
 * none.
 */
export function ownAddress(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default');
	if (!url)
		throw parameterError(
			{ context },
			'n8n has no webhook URL for this trigger',
			'Remove the node from the workflow and add it again.',
		);
	const given = deliveryUrl.readIfAdded(deliveryOptionsIn(triggerScope(context)));
	const address = deliveryAddress(url, given);
	if ('url' in address) return address.url;
	throw parameterError({ context }, `'Delivery URL' ${address.fault}`, address.hint);
}

/** Where the PBX calls a trigger, or what is wrong with the user's address, phrased to follow the field's name. */
export type DeliveryAddress = { url: string } | { fault: string; hint: string };

/** The end of a webhook's address: endpoint, ID, and the node's own path. */
const WEBHOOK_PATH = /\/webhook(-test)?(\/[^/]+\/[^/]+)$/;

/**
 * Builds the address of a webhook that the PBX must call on another host, or by HTTP behind a proxy that adds TLS. The
 * given address replaces n8n's scheme, host, and port; its path is put before n8n's.
 */
export function deliveryAddress(n8nUrl: string, given: unknown): DeliveryAddress {
	if (given === undefined || given === null) return { url: n8nUrl };
	const text = typeof given === 'string' ? given.trim() : '';
	if (text === '') return fault('is empty', 'Enter an address, or remove the option.');
	if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
		return fault(
			`isn't a web address: ${text}`,
			'Enter an address such as https://hooks.example.com, with a port if needed.',
		);
	const { origin, pathname, username, password } = new URL(text);
	if (username !== '' || password !== '')
		return fault('contains a user name or password', 'Remove everything before the @.');
	if (/[?#]/.test(text))
		return fault('contains a query or fragment', 'Remove the ? or # and everything after it.');
	const prefix = pathname.replace(/\/+$/, '');
	if (WEBHOOK_PATH.test(prefix))
		return fault(
			'ends with the path of a webhook, which n8n adds',
			'Enter the address without that path, such as https://hooks.example.com',
		);
	const path = new URL(n8nUrl).pathname;
	// n8n runs below a path that the user entered as well.
	const below = path.replace(WEBHOOK_PATH, '');
	const start = prefix.endsWith(below) ? prefix.slice(0, prefix.length - below.length) : prefix;
	return { url: `${origin}${start}${path}` };
}

function fault(words: string, hint: string): DeliveryAddress {
	return { fault: words, hint };
}

/** Returns the same webhook's address for the other side: tests or production. */
export function otherSide(url: string): string {
	return url.replace(
		WEBHOOK_PATH,
		(_, isTest: string | undefined, rest: string) =>
			`/webhook${isTest === undefined ? '-test' : ''}${rest}`,
	);
}

/** Where a host can be called from: its own machine, its own network, or anywhere, as far as its name shows. */
export type Reach = 'local' | 'private' | 'public';

const LOCAL =
	/^((127|0)\.\d+\.\d+\.\d+|::1?|localhost|.*\.localhost|ip6-localhost|(host|gateway)\.docker\.internal|host\.containers\.internal)$/;
const PRIVATE_NAME =
	/(^[^.:]+$)|\.(local|lan|internal|intranet|home|corp|private|localdomain|home\.arpa)$/;
const PRIVATE_ADDRESS =
	/^(10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[789]\d|1[01]\d|12[0-7]))\.\d+\.\d+(\.\d+)?$|^(f[cd]|fe[89ab])[^.]*:/;

/** Judges a host, as returned by `URL.hostname`, by its name or address. No DNS lookup. */
export function reachOf(hostname: string): Reach {
	const host = hostname
		.toLowerCase()
		.replace(/^\[|\]$/g, '')
		.replace(/\.$/, '');
	if (LOCAL.test(host)) return 'local';
	return PRIVATE_NAME.test(host) || PRIVATE_ADDRESS.test(host) ? 'private' : 'public';
}

/** Returns why a PBX can't call a webhook's URL, judged by the two addresses alone; undefined if it might. */
export function whyUnreachable(
	webhookUrl: string,
	baseUrl: string,
): { message: string; description: string } | undefined {
	if (!URL.canParse(webhookUrl)) return undefined;
	const own = new URL(webhookUrl);
	const pbx = new URL(baseUrl);
	const reach = reachOf(own.hostname);
	const pbxReach = reachOf(pbx.hostname);
	const isFine = reach === 'public' || pbxReach === 'local' || own.hostname === pbx.hostname;
	if (isFine || (reach === 'private' && pbxReach === 'private')) return undefined;

	const where =
		reach === 'local' ? 'only this machine can reach it' : 'only its own network can reach it';
	return {
		message: `The PBX at ${pbx.host} can't call n8n at ${own.host}: ${where}`,
		description:
			"Set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older n8n) to the public https address of your n8n instance, and restart n8n. If the PBX can reach this address, turn on 'Skip URL Check' under 'Delivery Options'.",
	};
}

/**
 * Refuses a publication at an address that the PBX can't reach, unless the user skips this check. Throws
 * NodeOperationError.
 */
export function assertReachable(context: IHookFunctions, credential: CredentialData): void {
	if (skipUrlCheck.read(deliveryOptionsIn(triggerScope(context)))) return;
	const { baseUrl } = readCredential(credential);
	const reason = whyUnreachable(ownAddress(context), baseUrl);
	if (!reason) return;
	throw parameterError({ context }, reason.message, reason.description);
}
