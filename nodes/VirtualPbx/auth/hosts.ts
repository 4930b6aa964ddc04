import type { PbxCredential } from './credential';

/**
 * Tells whether the token may be sent to an address (§2.4, §5.3): the origin of the Base URL,
 * or a host listed under Recording Hosts.
 *
 * Hosts are compared after URL parsing (case, ports, user-info and IPv6 forms included).
 * A listed host without a scheme means https, or the scheme of the Base URL; without a port, that scheme's own.
 *
 * @param address an absolute URL
 */
export function mayReceiveToken(address: string, credential: PbxCredential): boolean {
	if (!URL.canParse(address)) return false;
	const { origin, protocol } = new URL(address);
	if (protocol !== 'https:' && protocol !== 'http:') return false;

	const base = new URL(credential.baseUrl);
	if (origin === base.origin) return true;
	return credential.recordingHosts.some((host) =>
		listedOrigins(host, base.protocol).includes(origin),
	);
}

/**
 * Gives an address on the host of an `https` Base URL, that a call record names with `http` and without a port, its
 * scheme and port: the token is never sent in clear. Other addresses stay as they are.
 *
 * @param address an absolute URL
 */
export function securedAddress(address: string, credential: PbxCredential): string {
	if (!URL.canParse(address) || mayReceiveToken(address, credential)) return address;
	const { protocol, hostname, port, pathname, search } = new URL(address);
	const base = new URL(credential.baseUrl);
	const isPlain = protocol === 'http:' && port === '' && base.protocol === 'https:';
	return isPlain && hostname === base.hostname ? base.origin + pathname + search : address;
}

function listedOrigins(entry: string, baseProtocol: string): string[] {
	const candidates = /^https?:\/\//i.test(entry)
		? [entry]
		: [`https://${entry}`, `${baseProtocol}//${entry}`];
	return candidates
		.filter((candidate) => URL.canParse(candidate))
		.map((candidate) => new URL(candidate).origin);
}
