/** Why n8n's protection against server-side request forgery (SSRF) blocked a request, and what to do. */
export interface Blocked {
	reason: string;
	hint: string;
}

const BY_ADDRESS = /SsrfBlockedIpError|resolves to a restricted IP address/;
const BY_NAME = /SsrfBlockedHostnameError|destination hostname is restricted/;
/** The address in n8n's description: "The target 10.1.2.3 is not allowed", "The target 'pbx.lan' (10.1.2.3) is …". */
const ADDRESS = /The target (?:'[^']*' \()?([\da-f.:]+)/i;

/**
 * Explains an error of n8n's SSRF protection, with the settings that allow the address. Undefined for other errors.
 *
 * @@param marks names, messages, and descriptions of the error and its causes
 * @param host the requested host, with or without its port
 */
export function blockedBySsrf(marks: string, host: string): Blocked | undefined {
	const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
	if (BY_NAME.test(marks)) {
		return {
			reason: `n8n's SSRF protection blocks the host name ${name}`,
			hint: `Ask your n8n administrator to remove it from N8N_SSRF_BLOCKED_HOSTNAMES or to add it to N8N_SSRF_ALLOWED_HOSTNAMES, and to restart n8n.`,
		};
	}
	if (!BY_ADDRESS.test(marks)) return undefined;
	const address = ADDRESS.exec(marks)?.[1];
	const isName = !isAddress(name);
	if (address === undefined) {
		return {
			reason: `n8n's SSRF protection blocks the private address of ${name}`,
			hint: allow([], name),
		};
	}
	const range = `${address}/${address.includes(':') ? 128 : 32}`;
	return {
		reason: `n8n's SSRF protection blocks the private address ${address}${isName ? ` of ${name}` : ''}`,
		hint: allow([range], isName ? name : undefined),
	};
}

function isAddress(name: string): boolean {
	return name.includes(':') || /^[\d.]+$/.test(name);
}

function allow(ranges: string[], name: string | undefined): string {
	const ways = [
		...ranges.map((range) => `${range} to N8N_SSRF_ALLOWED_IP_RANGES`),
		...(name === undefined ? [] : [`${name} to N8N_SSRF_ALLOWED_HOSTNAMES`]),
	];
	return `Ask your n8n administrator to add ${ways.join(' or ')}, and to restart n8n.`;
}
