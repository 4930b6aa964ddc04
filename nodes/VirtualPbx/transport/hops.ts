import type { IHttpRequestOptions } from 'n8n-workflow';

import { readCredential } from '../auth/credential';
import type { PbxCredential } from '../auth/credential';
import { mayReceiveToken } from '../auth/hosts';
import { CREDENTIAL } from './door';
import type { Door } from './door';
import type { Answer, Failure } from './failure';
import { failureOfAnswer, failureOfError } from './failure';
import { REQUEST_TIMEOUT_MS } from './limits';
import { discard, readWords } from './stream';

const MAX_HOPS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** An answer that is no error, its body a stream; or why there is none. */
export type Opened = { ok: true; answer: Answer } | { ok: false; failure: Failure };

/**
 * Opens an address of the PBX as a stream and follows redirects by hand (§2.4, §5.4): the first address must be one that
 * may receive the token, and once a redirect has left those hosts the token is never sent again.
 *
 * @param address absolute, or relative to the Base URL
 */
export async function followHops(door: Door, address: string): Promise<Opened> {
	const credential = readCredential(door.credentialsDecrypted.data ?? {});
	const start = urlOf(address, `${credential.baseUrl}/`);
	if (start === undefined)
		return refuse(`The address of the recording is not valid: ${address}`, WHERE_FROM);
	if (!mayReceiveToken(start.href, credential)) return refuse(foreign(start, credential), ALLOW_IT);

	let url = start;
	let trusted = true;
	for (let hop = 0; hop <= MAX_HOPS; hop++) {
		const opened = await get(door, url, trusted, credential);
		if (!opened.ok || !REDIRECTS.has(opened.answer.statusCode)) return await checked(opened);

		discard(opened.answer.body);
		const next = urlOf(String(opened.answer.headers.location ?? ''), url.href);
		if (next === undefined)
			return refuse('The PBX redirects the download to no valid address', ASK);
		url = next;
		trusted = trusted && mayReceiveToken(url.href, credential);
	}
	return refuse(`The PBX redirects the download more than ${MAX_HOPS} times`, ASK);
}

const WHERE_FROM = 'REC_LINK and REC_FILE of the call record must give a web address together.';
const ALLOW_IT =
	'If this host belongs to your PBX, add it to Recording Hosts in the Virtual PBX credential.';
const ASK = 'Ask your provider.';

function urlOf(address: string, base: string): URL | undefined {
	if (address === '' || !URL.canParse(address, base)) return undefined;
	const url = new URL(address, base);
	return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

function refuse(words: string, hint: string): Opened {
	return { ok: false, failure: { kind: 'refused', words, hint } };
}

function foreign(url: URL, credential: PbxCredential): string {
	return `The recording is on ${url.host}, which is neither the host of the Base URL (${new URL(credential.baseUrl).host}) nor one of the Recording Hosts, so nothing was sent there`;
}

async function get(
	door: Door,
	url: URL,
	trusted: boolean,
	credential: PbxCredential,
): Promise<Opened> {
	const options: IHttpRequestOptions = {
		method: 'GET',
		url: url.href,
		encoding: 'stream',
		returnFullResponse: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: trusted ? { ignore: true, except: [401] } : true,
		skipSslCertificateValidation: credential.ignoreSslIssues,
		timeout: REQUEST_TIMEOUT_MS,
		...(door.signal ? { abortSignal: door.signal } : {}),
	};
	const { helpers } = door.context;
	try {
		const answer = trusted
			? await helpers.httpRequestWithAuthentication.call(door.context, CREDENTIAL, options, {
					credentialsDecrypted: door.credentialsDecrypted,
				})
			: await helpers.httpRequest(options);
		return { ok: true, answer: answer as Answer };
	} catch (error) {
		return { ok: false, failure: failureOfError(error, url.host) };
	}
}

async function checked(opened: Opened): Promise<Opened> {
	if (!opened.ok) return opened;
	const { answer } = opened;
	if (answer.statusCode >= 200 && answer.statusCode <= 299) return opened;
	return { ok: false, failure: failureOfAnswer({ ...answer, body: await readWords(answer.body) }) };
}
