import { PbxError } from '../errors/pbxError';
import { errorOfResponse } from '../errors/responseErrors';
import { mayReceiveToken, securedAddress } from '../session/authenticate';
import { blankSecrets } from '../redact';
import type { CredentialData, PbxCredential } from '../session/credential';
import { knownSecrets, readCredential } from '../session/credential';
import type { OpenResponse } from './body';
import { discard, readErrorBody } from './body';
import type { Connection } from './connection';
import { open } from './connection';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const WHERE_FROM =
	'The call record must contain a web address: REC_LINK and REC_FILE together, or recording_url.';
const ALLOW_IT =
	"If this host belongs to your PBX, add it to 'Recording Hosts' in the Virtual PBX credential.";
const ASK = 'Ask your provider.';

/**
 * Opens an address, absolute or relative to the Base URL, as a stream, and follows redirects itself (§2.4, §5.4):
 * n8n's helper would pass the token along. The first address must be allowed to receive the token, and after a
 * redirect leaves those hosts, the token is never sent again. Throws PbxError.
 */
export async function openAddress(
	connection: Connection,
	address: string,
	data: CredentialData,
): Promise<OpenResponse> {
	const credential = readCredential(data);
	const start = webAddress(address, `${credential.baseUrl}/`);
	if (start === undefined)
		throw notSent(`The address of the recording isn't valid: ${address}`, WHERE_FROM);
	let url = securedAddress(start, credential);
	if (!mayReceiveToken(url, credential)) throw notSent(foreign(url, credential), ALLOW_IT);

	let isTrusted = true;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const answer = await get(connection, url, isTrusted ? data : undefined);
		if (answer.statusCode >= 200 && answer.statusCode <= 299) return answer;

		if (!REDIRECTS.has(answer.statusCode)) {
			const words = await readErrorBody(answer);
			const body = blankSecrets(words, knownSecrets(data, words));
			discard(answer);
			throw errorOfResponse({ ...answer, body });
		}
		discard(answer);
		const next = webAddress(String(answer.headers.location ?? ''), url);
		if (next === undefined)
			throw notSent('The PBX redirects the download to an invalid address', ASK);
		url = securedAddress(next, credential);
		isTrusted = isTrusted && mayReceiveToken(url, credential);
	}
	throw notSent(`The PBX redirects the download more than ${MAX_REDIRECTS} times`, ASK);
}

function webAddress(address: string, base: string): string | undefined {
	if (address === '' || !URL.canParse(address, base)) return undefined;
	const url = new URL(address, base);
	return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}

function notSent(reason: string, hint: string): PbxError {
	return new PbxError({ kind: 'refused', reason, hint });
}

function foreign(url: string, credential: PbxCredential): string {
	return `The recording is on ${new URL(url).origin}, which is neither the host of the Base URL (${new URL(credential.baseUrl).origin}) nor one of the Recording Hosts, so nothing was sent there`;
}

async function get(
	connection: Connection,
	url: string,
	data: CredentialData | undefined,
): Promise<OpenResponse> {
	// Compression would change the file's length from the one that the PBX announces.
	const headers = { 'Accept-Encoding': 'identity' };
	return await open(connection, { request: { method: 'GET', url, headers }, data });
}
