/** Where the PBX is to call a trigger, or what is wrong with the address that the user gave. */
export type DeliveryAddress = { url: string } | { fault: string; hint: string };

/** n8n's paths of one webhook end with its endpoint, the webhook's ID and the node's own path. */
const TAIL = 3;

/**
 * Makes the address that the PBX is told of a webhook which it must call elsewhere than at n8n's own address: on another
 * host, or by http behind a proxy that adds TLS. Pure, for the event and the routing trigger.
 *
 * @param n8nUrl the webhook's URL as n8n says it, for production or for tests
 * @param given what the user entered: an address that takes the place of n8n's scheme, host and port, with a path to be
 * put before n8n's, or a whole URL with this webhook's path at its end; undefined where nothing was entered
 * @returns the address with this webhook's path at its end, or why there is none: a fault to follow the name of the field
 */
export function deliveryAddress(n8nUrl: string, given: unknown): DeliveryAddress {
	if (given === undefined || given === null) return { url: n8nUrl };
	const text = typeof given === 'string' ? given.trim() : '';
	if (text === '') return fault('is empty', 'Enter an address, or remove the option.');
	if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
		return fault(
			`"${text}" is not a web address`,
			'Enter an address such as https://hooks.example.com, with a port if needed.',
		);
	const base = new URL(text);
	if (base.username !== '' || base.password !== '')
		return fault('contains a user name or password', 'Remove everything before the @.');
	if (base.search !== '' || base.hash !== '' || /[?#]/.test(text))
		return fault('contains a query or fragment', 'Remove the ? or # and everything after it.');

	return placed(base, new URL(n8nUrl).pathname);
}

/** Puts the webhook's path behind the address, unless the user has entered it, or what n8n has before it, as well. */
function placed({ origin, pathname }: URL, path: string): DeliveryAddress {
	const prefix = pathname.replace(/\/+$/, '');
	const tail = `/${path.split('/').slice(-TAIL).join('/')}`;
	for (const end of [path, tail]) {
		const own = [end, otherSide(end)].find((one) => prefix.endsWith(one));
		if (own !== undefined) return { url: `${origin}${prefix.slice(0, -own.length)}${end}` };
	}
	if (isOfAnother(prefix, path))
		return fault(
			'ends with the path of another webhook',
			'Enter the address without that path, such as https://hooks.example.com',
		);
	const head = path.slice(0, -tail.length);
	const before = prefix.endsWith(head) ? prefix.slice(0, prefix.length - head.length) : prefix;
	return { url: `${origin}${before}${path}` };
}

/** The same webhook's path for tests, or for production. */
export function otherSide(url: string): string {
	return url.replace(
		/\/webhook(-test)?(\/[^/]+\/[^/]+)$/,
		(_, isTest: string | undefined, rest: string) =>
			`/webhook${isTest === undefined ? '-test' : ''}${rest}`,
	);
}

function isOfAnother(given: string, path: string): boolean {
	const [endpoint, , last] = path.split('/').slice(-TAIL);
	const [itsEndpoint = '', , itsLast] = given.split('/').slice(-TAIL);
	return itsLast === last && itsEndpoint.replace(/-test$/, '') === endpoint?.replace(/-test$/, '');
}

function fault(words: string, hint: string): DeliveryAddress {
	return { fault: words, hint };
}

/**
 * From where a host can be called: `local` only from its own machine, `private` only from its own network,
 * `public` from everywhere as far as its name tells.
 */
export type Reach = 'local' | 'private' | 'public';

const LOCAL =
	/^(localhost|.*\.localhost|ip6-localhost|host\.docker\.internal|gateway\.docker\.internal|host\.containers\.internal)$/;
const PRIVATE_NAME =
	/(^[^.:]+$)|\.(local|lan|internal|intranet|home|corp|private|localdomain|home\.arpa)$/;

/**
 * Judges a host by its name or address, without asking a name server.
 *
 * @param hostname as `URL.hostname` gives it: lower case, IPv6 in brackets
 */
export function reachOf(hostname: string): Reach {
	const host = hostname
		.toLowerCase()
		.replace(/^\[|\]$/g, '')
		.replace(/\.$/, '');
	const address = /^::ffff:/.test(host) ? mappedAddress(host) : host;
	if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) return reachOfIpv4(address);
	if (address.includes(':')) return reachOfIpv6(address);
	if (LOCAL.test(address)) return 'local';
	return PRIVATE_NAME.test(address) ? 'private' : 'public';
}

const LOCAL_IPV4 = /^(127|0)\./;
const PRIVATE_IPV4 =
	/^(10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[789]\d|1[01]\d|12[0-7]))\./;

function reachOfIpv4(address: string): Reach {
	if (LOCAL_IPV4.test(address)) return 'local';
	return PRIVATE_IPV4.test(address) ? 'private' : 'public';
}

function reachOfIpv6(address: string): Reach {
	if (address === '::1' || address === '::') return 'local';
	return /^f[cd]|^fe[89ab]/.test(address) ? 'private' : 'public';
}

/** `::ffff:7f00:1` → `127.0.0.1`. */
function mappedAddress(host: string): string {
	const groups = host.slice('::ffff:'.length).split(':');
	if (groups.length !== 2) return groups.join(':');
	return groups
		.map((group) => Number.parseInt(group, 16))
		.flatMap((value) => [value >> 8, value & 255])
		.join('.');
}

/**
 * Tells why a PBX cannot call a webhook's URL, judged by the two addresses alone: a PBX on this machine or on the same
 * private network may well do so, one on the internet cannot.
 *
 * @param webhookUrl the URL that n8n has given to the trigger
 * @param baseUrl the PBX's address in the credential
 * @returns what to tell the user, or undefined where nothing speaks against it
 */
export function whyUnreachable(
	webhookUrl: string,
	baseUrl: string,
): { message: string; description: string } | undefined {
	if (!URL.canParse(webhookUrl) || !URL.canParse(baseUrl)) return undefined;
	const own = new URL(webhookUrl);
	const pbx = new URL(baseUrl);
	const reach = reachOf(own.hostname);
	const pbxReach = reachOf(pbx.hostname);
	const isFine = reach === 'public' || pbxReach === 'local' || own.hostname === pbx.hostname;
	if (isFine || (reach === 'private' && pbxReach === 'private')) return undefined;

	const where =
		reach === 'local' ? 'only this machine can reach it' : 'only its own network can reach it';
	return {
		message: `The PBX at ${pbx.host} cannot call this n8n at ${own.host}: ${where}`,
		description:
			'Set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older n8n) to the public https address of this n8n and restart it. If the PBX can reach this address, turn on Skip URL Check in Options.',
	};
}
