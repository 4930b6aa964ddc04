import { isObject } from './json';

/** A failed connection in the user's words. */
export interface NetworkFault {
	/** What happened, to be put after "…: ". */
	text: string;
	/** What to do. */
	hint: string;
	/** True when the request surely did not reach the PBX, so that even a write may be sent again. */
	notSent: boolean;
}

interface KnownFault {
	codes: RegExp;
	text: (host: string) => string;
	hint: string;
	notSent: boolean;
}

const REACHABLE =
	'Check the Base URL in the Virtual PBX credential, and whether this n8n can reach the PBX.';

const KNOWN: KnownFault[] = [
	{
		codes: /ENOTFOUND|EAI_AGAIN|getaddrinfo/,
		text: (host) => `the host name ${host} is not known`,
		hint: REACHABLE,
		notSent: true,
	},
	{
		codes: /ECONNREFUSED/,
		text: (host) => `${host} refuses the connection`,
		hint: REACHABLE,
		notSent: true,
	},
	{
		codes: /EHOSTUNREACH|ENETUNREACH|ENETDOWN/,
		text: (host) => `there is no route to ${host}`,
		hint: REACHABLE,
		notSent: true,
	},
	{
		codes:
			/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|self.signed certificate|ERR_TLS|wrong version number|EPROTO/i,
		text: (host) => `no secure connection to ${host} (TLS certificate or protocol)`,
		hint: 'Use https or http as the PBX does. For a self-signed certificate, turn on Ignore SSL Issues in the credential.',
		notSent: true,
	},
	{
		codes: /ETIMEDOUT|ECONNABORTED|timeout/i,
		text: (host) => `${host} did not answer in time`,
		hint: 'Try again. If this happens again, check whether this n8n can reach the PBX.',
		notSent: false,
	},
	{
		codes: /Z_(?:DATA|BUF)_ERROR|incorrect header check|unexpected end of file/,
		text: (host) => `the answer of ${host} cannot be decompressed`,
		hint: 'Try again. If this happens again, check the PBX and the proxies in between.',
		notSent: false,
	},
	{
		codes: /ECONNRESET|EPIPE|socket hang up|aborted|ERR_BAD_RESPONSE|terminated/i,
		text: (host) => `${host} dropped the connection before the answer was complete`,
		hint: 'Try again. If this happens again, check the PBX and the proxies in between.',
		notSent: false,
	},
];

/**
 * Words a network fault by its error code; n8n's own codes are kept out of the text, since n8n replaces
 * messages that contain them.
 *
 * @param error anything that n8n's request helper threw
 * @param host the host and port that was called
 */
export function networkFault(error: unknown, host: string): NetworkFault {
	const marks = collectMarks(error);
	const known = KNOWN.find(({ codes }) => codes.test(marks));
	if (!known) return { text: `the connection to ${host} failed`, hint: REACHABLE, notSent: false };
	return { text: known.text(host), hint: known.hint, notSent: known.notSent };
}

/** Error codes and messages of an error and its causes, in one text to search in. */
function collectMarks(error: unknown): string {
	const marks: string[] = [];
	let current: unknown = error;
	for (let depth = 0; depth < 4 && current !== null && typeof current === 'object'; depth++) {
		const { code, message, messages, cause } = current as Record<string, unknown>;
		marks.push(
			String(code ?? ''),
			String(message ?? ''),
			...(Array.isArray(messages) ? messages.map(String) : []),
		);
		current = isObject(cause) || cause instanceof Error ? cause : undefined;
	}
	return marks.join(' ');
}
