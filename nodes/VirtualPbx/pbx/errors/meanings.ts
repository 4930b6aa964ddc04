export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** An error's meaning, written to follow "…: ", and what to do. */
export interface Meaning {
	reason: string;
	hint: string;
}

/** Names no field that only one platform has. */
export const CHECK_ADDRESS = "Check 'Base URL' and 'API' in the Virtual PBX credential.";
const CHECK_VALUES = 'Check the values that you entered.';
const ASK_PROVIDER = 'Try again later, or ask your provider with the request ID.';
const TRY_LATER = 'Try again later.';
const NOT_PROCESSED = "the PBX couldn't process the request";
const NO_RIGHT = "the PBX doesn't allow this user to do that";

/** The PBX's error statuses (§7.1), and those of a proxy. */
const STATUSES: Record<number, Meaning> = {
	400: { reason: "the PBX doesn't accept the values", hint: CHECK_VALUES },
	401: {
		reason: NO_RIGHT,
		hint: "The PBX also rejected a new token. Check the user's permissions in this account. If the PBX allows only one session per user, use a separate user for n8n.",
	},
	403: {
		reason: NO_RIGHT,
		hint: "Grant the credential's user more permissions in the PBX, or check the account ID.",
	},
	404: {
		reason: 'the PBX has nothing at this address',
		hint: `${CHECK_ADDRESS} If you entered an account ID, check that as well.`,
	},
	409: { reason: 'someone else changed it in the meantime', hint: 'Run again.' },
	415: { reason: "the PBX doesn't accept JSON here", hint: CHECK_ADDRESS },
	429: {
		reason: 'the PBX receives too many requests',
		hint: 'Run less often, or with fewer items at once.',
	},
	502: { reason: "the PBX's proxy is up, but the PBX isn't responding", hint: TRY_LATER },
	503: { reason: "the PBX isn't available right now", hint: TRY_LATER },
	504: {
		reason: 'the PBX took too long to respond',
		hint: 'Try again later, or request a smaller range.',
	},
};

/** Returns the meaning of an error response's HTTP status. With a success status, the error is in the body. */
export function meaningOf(status: number): Meaning {
	const row = STATUSES[status];
	if (row) return row;
	if (status < 300) return { reason: NOT_PROCESSED, hint: ASK_PROVIDER };
	if (status < 400)
		return {
			reason: 'the PBX redirected the request to another address',
			hint: "Set 'Base URL' in the Virtual PBX credential to the final address.",
		};
	return status < 500
		? { reason: 'the PBX rejected the request', hint: CHECK_VALUES }
		: { reason: NOT_PROCESSED, hint: ASK_PROVIDER };
}

interface NetworkFault extends Meaning {
	/** The request definitely didn't reach the PBX, so even a write can be retried. */
	notSent?: boolean;
	/** The PBX didn't respond in time. */
	isTimeout?: boolean;
	/** Fails until someone changes an n8n setting. */
	isBlocked?: boolean;
}

interface KnownFault extends Omit<NetworkFault, 'reason'> {
	codes: RegExp;
	reason: (host: string) => string;
}

const REACHABLE =
	"Check 'Base URL' in the Virtual PBX credential, and whether n8n can reach the PBX.";
const CHECK_PROXIES = 'Try again. If this happens again, check the PBX and the proxies in between.';

const NETWORK: KnownFault[] = [
	{
		codes: /ENOTFOUND|EAI_AGAIN|getaddrinfo/,
		reason: (host) => `the host name ${host} doesn't exist`,
		hint: REACHABLE,
		notSent: true,
	},
	{
		codes: /ECONNREFUSED/,
		reason: (host) => `${host} refuses the connection`,
		hint: REACHABLE,
		notSent: true,
	},
	{
		codes: /EHOSTUNREACH|ENETUNREACH|ENETDOWN/,
		reason: (host) => `there is no route to ${host}`,
		hint: REACHABLE,
		notSent: true,
	},
	{
		codes:
			/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|self.signed certificate|ERR_TLS|wrong version number|EPROTO/i,
		reason: (host) => `no secure connection to ${host} (TLS certificate or protocol)`,
		hint: "Use https or http as the PBX does. For a self-signed certificate, turn on 'Ignore SSL Issues' in the credential.",
		notSent: true,
	},
	{
		codes: /Domain not allowed/,
		reason: (host) => `the credential isn't allowed for ${host}`,
		hint: "Add this host to 'Allowed Domains' in the Virtual PBX credential.",
		notSent: true,
	},
	{
		// Cancellation by a person never gets here.
		codes: /ETIMEDOUT|ECONNABORTED|ERR_CANCELED|timeout/i,
		reason: (host) => `${host} didn't respond in time`,
		hint: 'Try again. If this happens again, check whether n8n can reach the PBX.',
		isTimeout: true,
	},
	{
		codes: /Z_(?:DATA|BUF)_ERROR|incorrect header check|unexpected end of file/,
		reason: (host) => `the response from ${host} can't be decompressed`,
		hint: CHECK_PROXIES,
	},
	{
		codes: /ECONNRESET|EPIPE|socket hang up|aborted|ERR_BAD_RESPONSE|terminated/i,
		reason: (host) => `${host} dropped the connection before the response was complete`,
		hint: CHECK_PROXIES,
	},
];

const OTHER: Omit<KnownFault, 'codes'> = {
	reason: (host) => `the connection to ${host} failed`,
	hint: REACHABLE,
};

/** Explains what n8n's request helper threw, without n8n's error codes: n8n replaces messages that contain them. */
export function networkFault(error: unknown, host: string): NetworkFault {
	const text = errorTextOf(error);
	const blocked = blockedBySsrf(text, host);
	if (blocked) return { ...blocked, notSent: true, isBlocked: true };
	const known = NETWORK.find(({ codes }) => codes.test(text)) ?? OTHER;
	const { reason, hint, notSent = false, isTimeout = false } = known;
	return { reason: reason(host), hint, notSent, isTimeout };
}

/** Errors of n8n's own storage of files. n8n throws what the system or the storage's client throws. */
const STORAGE: Array<{ codes: RegExp } & Meaning> = [
	{
		codes: /ENOSPC|EDQUOT|no space left|disk is full|SQLITE_FULL/i,
		reason: 'the disk is full',
		hint: 'Free up space where n8n stores binary data (N8N_STORAGE_PATH), and run again.',
	},
	{
		codes: /EACCES|EPERM|EROFS|permission denied|read-only/i,
		reason: "n8n isn't allowed to write there",
		hint: 'Ask your n8n administrator to check the permissions of the folder where n8n stores binary data (N8N_STORAGE_PATH).',
	},
	{
		codes: /FileTooLarge|exceeds? the (?:max|limit)|too large|longer than 0x|ERR_STRING_TOO_LONG/i,
		reason: 'it is too large for the way n8n stores binary data',
		hint: 'Ask your n8n administrator to set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or s3, or to raise N8N_BINARY_DATA_DATABASE_MAX_FILE_SIZE.',
	},
];

/** Explains what n8n's storage threw, without the system's error codes. */
export function storageFault(error: unknown): Meaning {
	const text = errorTextOf(error);
	const known = STORAGE.find(({ codes }) => codes.test(text));
	if (known) return known;
	return {
		reason: `its storage failed (${messageOf(error).slice(0, 200)})`,
		hint: "Ask your n8n administrator to check n8n's storage of binary data, such as its S3 settings, and run again.",
	};
}

/** Joins the names, codes, and messages of an error and its causes into one text to search. */
function errorTextOf(error: unknown, depth = 4): string {
	if (depth === 0 || typeof error !== 'object' || error === null) return '';
	const { name, code, message, messages, description, cause } = error as Record<string, unknown>;
	return [name, code, message, messages, description, errorTextOf(cause, depth - 1)]
		.flat()
		.join(' ');
}

const BY_ADDRESS = /SsrfBlockedIpError|resolves to a restricted IP address/;
const BY_NAME = /SsrfBlockedHostnameError|destination hostname is restricted/;
/** The address in n8n's description: "The target 10.1.2.3 is not allowed", "The target 'pbx.lan' (10.1.2.3) is …". */
const ADDRESS = /The target (?:'[^']*' \()?([\da-f.:]+)/i;

/**
 * Explains an error of n8n's protection against server-side request forgery (SSRF), with the settings that allow the
 * address. Undefined for other errors.
 *
 * @param text names, messages, and descriptions of the error and its causes
 * @param host the requested host, with or without its port
 */
function blockedBySsrf(text: string, host: string): Meaning | undefined {
	const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
	if (BY_NAME.test(text)) {
		return {
			reason: `n8n's SSRF protection blocks the host name ${name}`,
			hint: `Ask your n8n administrator to remove it from N8N_SSRF_BLOCKED_HOSTNAMES or to add it to N8N_SSRF_ALLOWED_HOSTNAMES, and to restart n8n.`,
		};
	}
	if (!BY_ADDRESS.test(text)) return undefined;
	const address = ADDRESS.exec(text)?.[1];
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
