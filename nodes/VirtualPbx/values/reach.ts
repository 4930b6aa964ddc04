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
