import type { IHttpRequestHelper, IHttpRequestOptions } from 'n8n-workflow';

import { asText, isObject } from '../values/json';
import type { PbxCredential } from './credential';
import { describeLoginFault, describeLoginRefusal } from './loginErrors';
import { whenOver } from './stopwatch';

/** What the PBX tells about the one who logged in (§5.2). */
export interface Login {
	token: string;
	accountId: string;
	accountRealm?: string;
	ownerId?: string;
	ownerRole?: string;
}

/** n8n's request helper, as both the credential and the nodes have it. */
export type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/** What n8n's helper gives with `returnFullResponse`. */
export interface FullAnswer {
	statusCode: number;
	body: unknown;
	headers: Record<string, unknown>;
}

/** How long a login may take in all, in milliseconds. Changed by tests only. */
export const LOGIN = { timeoutMs: 30_000 };

/**
 * Sends `PUT /v1/<platform>/user_auth` and reads the answer (§4.1, §5).
 * Values are taken from `data` or from the top level, in lower or upper case. Redirects are not followed:
 * the body carries the password.
 *
 * @throws Error in the user's words: wrong login, wrong address, unreachable host, or an answer without a token
 */
export async function logIn(httpRequest: HttpRequest, credential: PbxCredential): Promise<Login> {
	const { login, password, realm } = credential;
	const answer = await send(httpRequest, credential, {
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

async function send(
	httpRequest: HttpRequest,
	credential: PbxCredential,
	options: IHttpRequestOptions,
): Promise<FullAnswer> {
	try {
		return await sendInTime(httpRequest, options);
	} catch (error) {
		throw describeLoginFault(error, credential);
	}
}

/**
 * Sends a request that has to be over within `LOGIN.timeoutMs`, however slowly its answer drips.
 *
 * @param options with `returnFullResponse`
 * @throws what n8n's helper throws; an Error that says `timeout`
 */
export async function sendInTime(
	httpRequest: HttpRequest,
	options: IHttpRequestOptions,
): Promise<FullAnswer> {
	const aborter = new AbortController();
	const began = Date.now();
	const end = whenOver(
		() => began + LOGIN.timeoutMs,
		() => aborter.abort(),
	);
	try {
		return (await httpRequest({ ...options, abortSignal: aborter.signal })) as FullAnswer;
	} catch (error) {
		throw aborter.signal.aborted ? new Error('timeout') : error;
	} finally {
		end();
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
