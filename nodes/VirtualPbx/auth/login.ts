import type { IHttpRequestOptions } from 'n8n-workflow';

import { answerWords } from '../values/answerWords';
import { asText, isObject } from '../values/json';
import { networkFault } from '../values/networkFault';
import { blankSecrets } from '../values/secrets';
import type { PbxCredential } from './credential';
import { PbxRefusal } from './credential';
import { knownSecrets } from './token';

/** What the PBX tells about the one who logged in (§5.2). */
export interface Login {
	token: string;
	accountId: string;
	accountRealm?: string;
	ownerId?: string;
	ownerRole?: string;
}

/** What n8n's helper gives with `returnFullResponse`. */
export interface FullAnswer {
	statusCode: number;
	body: unknown;
	headers: Record<string, unknown>;
}

/** Sends a request with `returnFullResponse`, and ends it in time; transport makes it of n8n's request helper. */
export type Send = (options: IHttpRequestOptions) => Promise<FullAnswer>;

/**
 * Sends `PUT /v1/<platform>/user_auth` and reads the answer (§4.1, §5).
 * Values are taken from `data` or from the top level, in lower or upper case. Redirects are not followed:
 * the body carries the password.
 *
 * @throws Error in the user's words: wrong login, wrong address, unreachable host, or an answer without a token
 */
export async function logIn(send: Send, credential: PbxCredential): Promise<Login> {
	const { login, password, realm } = credential;
	const answer = await attempt(send, credential, {
		method: 'PUT',
		url: `${credential.baseUrl}/v1/${encodeURIComponent(credential.platform)}/user_auth`,
		body: { data: { login, password, realm } },
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
		skipSslCertificateValidation: credential.ignoreSslIssues,
	});
	return readLogin(answer, credential);
}

async function attempt(
	send: Send,
	credential: PbxCredential,
	options: IHttpRequestOptions,
): Promise<FullAnswer> {
	try {
		return await send(options);
	} catch (error) {
		throw describeLoginFault(error, credential);
	}
}

function readLogin(answer: FullAnswer, credential: PbxCredential): Login {
	const field = (name: string) => pick(answer.body, name);
	const errorCode = field('error_code');
	const token = field('auth_token');
	const accountId = field('account_id');
	const refused = errorCode !== undefined && errorCode !== '0';

	if (answer.statusCode < 200 || answer.statusCode > 299 || refused || !token || !accountId) {
		throw describeLoginRefusal(answer, credential);
	}
	return {
		token,
		accountId,
		...optional('accountRealm', field('account_realm')),
		...optional('ownerId', field('owner_id')),
		...optional('ownerRole', field('owner_role')),
	};
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
	return value === undefined ? {} : ({ [key]: value } as { [P in K]?: string });
}

/** Finds a field of the login answer in `data` or at the top level, in either case (§5.2). */
export function pick(body: unknown, name: string): string | undefined {
	if (!isObject(body)) return undefined;
	const places = [body.data, body].filter(isObject);
	for (const place of places) {
		const value = asText(place[name]) ?? asText(place[name.toUpperCase()]);
		if (value !== undefined) return value;
	}
	return undefined;
}

const AFTER_WRONG_LOGIN = 'Check Login, Password and Realm in the Virtual PBX credential.';
const NOT_ACCEPTED = new Set([401, 403]);
const NO_LOGIN_HERE = new Set([404, 405]);
const AFTER_WRONG_ADDRESS = 'Check Base URL and Platform Name in the Virtual PBX credential.';

/**
 * Words a login that got no answer at all: unknown host, refused connection, timeout, TLS.
 *
 * @param error what n8n's request helper threw
 * @returns an error without a stack of the cause, password or token
 */
function describeLoginFault(error: unknown, credential: PbxCredential): PbxRefusal {
	const { text, hint } = networkFault(error, new URL(credential.baseUrl).host);
	return new PbxRefusal(`Couldn't log in to the PBX: ${text}. ${hint}`, true);
}

/**
 * Words a login that the PBX answered, but not with a token (§5.2, §7).
 *
 * @param answer the PBX's answer: any status, any body
 */
function describeLoginRefusal(answer: FullAnswer, credential: PbxCredential): PbxRefusal {
	const { statusCode } = answer;
	const words = answerWords(blankSecrets(answer.body, knownSecrets(credential, answer.body)));
	const said = words ? ` It says: "${words}".` : '';

	if (statusCode >= 300 && statusCode < 400) return new PbxRefusal(redirected(answer));
	if (NOT_ACCEPTED.has(statusCode)) {
		return new PbxRefusal(
			`The PBX does not accept the login, password or realm (${statusCode}).${said} ${AFTER_WRONG_LOGIN}`,
		);
	}
	if (statusCode >= 200 && statusCode < 300)
		return new PbxRefusal(`${notALogin(answer, credential)}${said}`);
	const place = `${credential.baseUrl}/v1/${credential.platform}`;
	if (NO_LOGIN_HERE.has(statusCode)) {
		return new PbxRefusal(
			`There is no PBX login at ${place} (${statusCode}).${said} ${AFTER_WRONG_ADDRESS} Some systems also answer this to an unknown Realm.`,
		);
	}
	if (statusCode === 415) {
		return new PbxRefusal(
			`${place} does not accept a PBX login (${statusCode}).${said} ${AFTER_WRONG_ADDRESS}`,
		);
	}
	if (statusCode === 429 || statusCode >= 500) {
		return new PbxRefusal(
			`The PBX cannot log anyone in at the moment (${statusCode}).${said} Try again in a minute.`,
			true,
		);
	}
	return new PbxRefusal(`The PBX refused the login (${statusCode}).${said} ${AFTER_WRONG_LOGIN}`);
}

function notALogin(answer: FullAnswer, credential: PbxCredential): string {
	if (typeof answer.body !== 'object' || answer.body === null) {
		return `${credential.baseUrl} answers, but not like a PBX (no JSON). ${AFTER_WRONG_ADDRESS}`;
	}
	return `The PBX answered the login without a usable token or account. ${AFTER_WRONG_LOGIN} Also check Base URL and Platform Name.`;
}

function redirected(answer: FullAnswer): string {
	const location = String(answer.headers.location ?? '');
	const target = URL.canParse(location) ? `to ${new URL(location).origin}` : 'to another address';
	return `The Base URL redirects ${target} (${answer.statusCode}), but n8n does not send the password there. Set the Base URL to the final address.`;
}
