import type { ICredentialsDecrypted } from 'n8n-workflow';

import { mayReceiveToken, securedAddress } from '../auth/authenticate';
import type { PbxCredential } from '../auth/credential';
import { readCredential } from '../auth/credential';
import type { Answer } from './failure';
import { failureOfAnswer } from './failure';
import type { Patience } from './patience';
import type { Door, Opened } from './request';
import { open } from './request';
import { discard, readWords } from './stream';
import { withoutKnownSecrets } from './tokens';

const MAX_HOPS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A file to open. */
export interface Target {
	/** Absolute, or relative to the Base URL. */
	address: string;
	patience: Patience;
	/** With the token to send. */
	credential: ICredentialsDecrypted;
}

/**
 * Opens an address of the PBX as a stream and follows redirects by hand (§2.4, §5.4): the first address must be one that
 * may receive the token, and once a redirect has left those hosts the token is never sent again.
 *
 * @returns an answer that is no error
 */
export async function followHops(door: Door, target: Target): Promise<Opened> {
	const credential = readCredential(target.credential.data ?? {});
	const start = urlOf(target.address, `${credential.baseUrl}/`);
	if (start === undefined)
		return refuse(`The address of the recording is not valid: ${target.address}`, WHERE_FROM);
	let url = securedAddress(start, credential);
	if (!mayReceiveToken(url, credential)) return refuse(foreign(url, credential), ALLOW_IT);

	let trusted = true;
	const visited = new Set<string>();
	for (let hop = 0; hop <= MAX_HOPS; hop++) {
		visited.add(url);
		const opened = await get(door, target, url, trusted);
		if ('failure' in opened) return opened;
		if (!REDIRECTS.has(opened.answer.statusCode)) return await checked(door, target, opened.answer);

		discard(opened.answer.body);
		const next = urlOf(String(opened.answer.headers.location ?? ''), url);
		if (next === undefined)
			return refuse('The PBX redirects the download to an invalid address', ASK);
		const secured = securedAddress(next, credential);
		// A PBX that insists on its plain address gets the request without the token.
		url = visited.has(secured) ? next : secured;
		trusted = trusted && mayReceiveToken(url, credential);
	}
	return refuse(`The PBX redirects the download more than ${MAX_HOPS} times`, ASK);
}

const WHERE_FROM = 'Together, REC_LINK and REC_FILE of the call record must be a web address.';
const ALLOW_IT =
	'If this host belongs to your PBX, add it to Recording Hosts in the Virtual PBX credential.';
const ASK = 'Ask your provider.';

function urlOf(address: string, base: string): string | undefined {
	if (address === '' || !URL.canParse(address, base)) return undefined;
	const url = new URL(address, base);
	return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
}

function refuse(words: string, hint: string): Opened {
	return { failure: { kind: 'refused', words, hint } };
}

function foreign(url: string, credential: PbxCredential): string {
	return `The recording is on ${new URL(url).origin}, which is neither the host of the Base URL (${new URL(credential.baseUrl).origin}) nor one of the Recording Hosts, so nothing was sent there`;
}

async function get(door: Door, target: Target, url: string, trusted: boolean): Promise<Opened> {
	const { ignoreSslIssues } = readCredential(target.credential.data ?? {});
	return await open(door, {
		// Packed, a file has another length than the PBX announces.
		options: {
			method: 'GET',
			url,
			headers: { 'Accept-Encoding': 'identity' },
			skipSslCertificateValidation: ignoreSslIssues,
		},
		credential: trusted ? target.credential : undefined,
		patience: target.patience,
		host: new URL(url).host,
	});
}

async function checked(door: Door, { patience }: Target, answer: Answer): Promise<Opened> {
	if (answer.statusCode >= 200 && answer.statusCode <= 299) return { answer };
	const body = withoutKnownSecrets(door, await readWords(answer.body, patience));
	return { failure: failureOfAnswer({ ...answer, body }) };
}
