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
			'Enter it like https://hooks.example.com, with a port if needed.',
		);
	const base = new URL(text);
	if (base.username !== '' || base.password !== '')
		return fault('holds a user name or a password', 'Remove what stands before the @.');
	if (base.search !== '' || base.hash !== '' || /[?#]/.test(text))
		return fault('holds a query or a fragment', 'Remove it from the ? or # on.');

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
