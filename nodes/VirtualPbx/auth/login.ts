import type { IHttpRequestHelper } from 'n8n-workflow';

import { answerMessage } from '../values/envelope';
import { meaningOf, networkFault } from '../values/errorTable';
import { asText, isObject } from '../values/json';
import { blankSecrets } from '../values/secrets';
import { LruMap } from '../values/lruMap';
import { TIMEOUTS } from '../values/timeouts';
import type { PbxCredential } from './credential';
import { fingerprint, openToken, PbxRefusal, secretsOf } from './credential';

/** n8n's request helper, as both the credential and the nodes have it. */
export type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/** What the PBX tells about the one who logged in (§5.2). */
export interface Login {
	token: string;
	accountId: string;
	accountRealm: string | undefined;
	ownerId: string | undefined;
	ownerRole: string | undefined;
}

/** What n8n's helper gives with `returnFullResponse`. */
interface FullAnswer {
	statusCode: number;
	body: unknown;
	headers: Record<string, unknown>;
}

/**
 * Sends `PUT /v1/<platform>/user_auth` and reads the answer (§4.1, §5), from `data` or the top level, in either case.
 * Redirects are not followed: the body carries the password. Throws PbxRefusal: wrong login, wrong address, unreachable
 * host, or no token.
 */
export async function logIn(httpRequest: HttpRequest, credential: PbxCredential): Promise<Login> {
	const answer = await send(httpRequest, credential);
	const { statusCode, body } = answer;
	const isRefused = !['0', undefined].includes(pick(body, 'error_code'));
	const token = pick(body, 'auth_token');
	const accountId = pick(body, 'account_id');
	if (statusCode < 200 || statusCode > 299 || isRefused || !token || !accountId) {
		throw refusalOf(answer, credential);
	}
	return {
		token,
		accountId,
		accountRealm: pick(body, 'account_realm'),
		ownerId: pick(body, 'owner_id'),
		ownerRole: pick(body, 'owner_role'),
	};
}

async function send(httpRequest: HttpRequest, credential: PbxCredential): Promise<FullAnswer> {
	const { login, password, realm, baseUrl } = credential;
	try {
		return (await httpRequest({
			method: 'PUT',
			url: `${baseUrl}/v1/${encodeURIComponent(credential.platform)}/user_auth`,
			body: { data: { login, password, realm } },
			headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			skipSslCertificateValidation: credential.ignoreSslIssues,
			abortSignal: AbortSignal.timeout(TIMEOUTS.login),
		})) as FullAnswer;
	} catch (error) {
		throw faultOf(error, credential);
	}
}

/** Words a login that got no answer: unknown host, refused connection, timeout, TLS. */
function faultOf(error: unknown, { baseUrl }: PbxCredential): PbxRefusal {
	const { reason, hint } = networkFault(error, new URL(baseUrl).host);
	return new PbxRefusal(`Couldn't log in to the PBX: ${reason}. ${hint}`, true);
}

/** Finds a field of the login answer in `data` or at the top level, in either case (§5.2). */
export function pick(body: unknown, name: string): string | undefined {
	if (!isObject(body)) return undefined;
	return [body.data, body]
		.filter(isObject)
		.flatMap((place) => [asText(place[name]), asText(place[name.toUpperCase()])])
		.find((value) => value !== undefined);
}

const CHECK_LOGIN = 'Check Login, Password and Realm in the Virtual PBX credential.';
const CHECK_ADDRESS = 'Check Base URL and Platform Name in the Virtual PBX credential.';
const NO_LOGIN_HERE = new Set([404, 405, 415]);

/** Words a login that the PBX answered, but not with a token (§5.2, §7). */
function refusalOf(answer: FullAnswer, credential: PbxCredential): PbxRefusal {
	const { statusCode, body } = answer;
	const words = answerMessage(blankSecrets(body, secretsOf(credential, body)));
	const said = words ? ` It says: "${words}".` : '';

	if (statusCode < 300) return new PbxRefusal(`${notALogin(answer, credential)}${said}`);
	if (statusCode < 400) return new PbxRefusal(redirected(answer));
	if (NO_LOGIN_HERE.has(statusCode)) {
		const place = `${credential.baseUrl}/v1/${credential.platform}`;
		return new PbxRefusal(
			`There is no PBX login at ${place} (${statusCode}).${said} ${CHECK_ADDRESS} Some systems also answer this to an unknown Realm.`,
		);
	}
	if (statusCode === 429 || statusCode >= 500) {
		const { reason, hint } = meaningOf(statusCode);
		return new PbxRefusal(
			`Couldn't log in to the PBX: ${reason} (${statusCode}).${said} ${hint}`,
			true,
		);
	}
	return new PbxRefusal(
		`The PBX does not accept the login, password or realm (${statusCode}).${said} ${CHECK_LOGIN}`,
	);
}

function notALogin({ body }: FullAnswer, { baseUrl }: PbxCredential): string {
	return isObject(body)
		? `The PBX answered the login without a usable token or account. ${CHECK_LOGIN} Also check Base URL and Platform Name.`
		: `${baseUrl} answers, but not like a PBX (no JSON). ${CHECK_ADDRESS}`;
}

function redirected({ headers, statusCode }: FullAnswer): string {
	const location = String(headers.location ?? '');
	const target = URL.canParse(location) ? `to ${new URL(location).origin}` : 'to another address';
	return `The Base URL redirects ${target} (${statusCode}), but n8n does not send the password there. Set the Base URL to the final address.`;
}

/** How long a login serves those who come for a token after it: requests that were refused together do not come at once. */
const RECENT_MS = 60_000;
const MOST_LOGINS = 200;

/** The newest login of this process for one login data; `token` and `at` (Unix milliseconds) once it has ended. */
interface Exchange {
	login: Promise<Login>;
	/** Of whoever came last for a token. */
	httpRequest: HttpRequest;
	token?: string;
	at?: number;
}

/** By the fingerprint of the login data. */
const exchanges = new LruMap<string, Exchange>(MOST_LOGINS);

/**
 * Exchanges login data for a token (§5). Whoever comes during a login, or within a minute after it, shares it, unless its
 * token is the refused one that `credential` has. Throws PbxRefusal, see `logIn`; a failed login is never kept.
 */
export async function exchangeToken(
	httpRequest: HttpRequest,
	credential: PbxCredential,
): Promise<Login> {
	const key = fingerprint(credential);
	const known = exchanges.get(key);
	if (known && isUsable(known, openToken(credential))) {
		known.httpRequest = httpRequest;
		return await known.login;
	}
	const login = logIn(httpRequest, credential);
	const exchange: Exchange = exchanges.set(key, { login, httpRequest });
	try {
		const { token } = await login;
		Object.assign(exchange, { token, at: Date.now() });
		return await login;
	} finally {
		if (exchange.at === undefined) exchanges.delete(key);
	}
}

function isUsable({ token, at }: Exchange, refused: string | undefined): boolean {
	return at === undefined || (token !== refused && Date.now() - at < RECENT_MS);
}

/** n8n's request helper, as it came with the last exchange: `authenticate` of a credential gets none. */
export function helperOf(credential: PbxCredential): HttpRequest | undefined {
	return exchanges.get(fingerprint(credential))?.httpRequest;
}

/** Forgets a login whose token is the one that `credential` has, or that ended before a moment in Unix milliseconds. */
export function forgetLogin(credential: PbxCredential, before = 0): void {
	const key = fingerprint(credential);
	const { token, at = Infinity } = exchanges.get(key) ?? {};
	if (at < before || (token !== undefined && token === openToken(credential)))
		exchanges.delete(key);
}

/** Forgets all logins. For tests, which start many PBXs with the same login. */
export function forgetLogins(): void {
	exchanges.clear();
}
