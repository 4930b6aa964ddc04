import { createHash, randomBytes } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../util/json';
import { BoundedMap, unlessAborted } from '../util/limits';
import type { PbxCredential } from './credential';
import {
	authenticateRequest,
	basePathOf,
	fingerprint,
	openToken,
	readCredential,
	sealToken,
	secretsOf,
} from './credential';
import { fieldComplaints, isRejectedLogin, loginField, messageIn, saidIn } from './errors/failures';
import { meaningOf, networkFault } from './errors/meanings';
import { AuthError, complaintsIn, LoginRejected } from './errors/pbxError';
import { blankSecrets, withoutSecrets } from './redact';
import type { OpenResponse } from './response';
import { guard, readWords, TIMEOUTS } from './response';
import type { CredentialData, ReadResponse, Send, SendWithToken, Session } from './types';

/** All that this process knows of one set of login data. */
interface Login {
	/** The last login, which might still be going on. */
	session?: Promise<Session> | undefined;
	/** Its token, and when it came, in Unix milliseconds; undefined while it's going on. */
	token?: string | undefined;
	at?: number | undefined;
	/** Whether it replaced an earlier token of this process. */
	isRenewal?: boolean;
	/** The random text that webhook secrets are made of, if the credential stores none yet. */
	webhookSecret?: string;
	/** The sender of the latest caller. */
	send?: Send;
	/** The PBX's last rejections of the login, without a success since. */
	rejected?: { reason: string; at: number; times: number } | undefined;
}

const MAX_LOGINS = 200;
/** By the fingerprint of the login data. */
const logins = new BoundedMap<string, Login>(MAX_LOGINS);

function loginOf(credential: PbxCredential): Login {
	const key = fingerprint(credential);
	return logins.set(key, logins.get(key) ?? {});
}

/**
 * How long a token serves all callers, and a renewed one isn't renewed again: requests that are rejected together don't
 * all ask for one, and a missing permission, which some PBXs report as a rejected token, doesn't cost a login per request.
 */
const FRESH_MS = 60_000;
/** The wait after a rejected login, which doubles each time: a PBX can lock out a user after too many tries. */
const FIRST_WAIT_MS = 60_000;
const MAX_WAIT_MS = 30 * 60_000;

/** Whether a moment was less than `ms` ago. One that lies ahead wasn't: the clock was set back. */
function isRecent(ms: number, at = Infinity): boolean {
	const age = Date.now() - at;
	return age >= 0 && age < ms;
}

/**
 * Exchanges login data for a token (§5). Doesn't check for earlier rejections, since credential tests need an
 * immediate login. Callers during a login, or up to a minute after it, share it. Throws AuthError.
 */
export async function exchangeToken(send: Send, credential: PbxCredential): Promise<Session> {
	const login = loginOf(credential);
	login.send = send;
	if (login.session && (login.at === undefined || isRecent(FRESH_MS, login.at)))
		return await login.session;
	const session = logIn(send, credential).then(
		(result) => {
			Object.assign(login, { token: result.token, at: Date.now(), rejected: undefined });
			return result;
		},
		(error: unknown) => {
			login.session = undefined;
			throw error instanceof LoginRejected ? rejection(login, error.message) : error;
		},
	);
	const isRenewal = login.token !== undefined;
	Object.assign(login, { session, token: undefined, at: undefined, isRenewal });
	return await session;
}

/** Records a rejected login, and returns its error. A rejection during a wait, as in a test, doesn't extend it. */
function rejection(login: Login, reason: string): LoginRejected {
	const { at, times = 0 } = login.rejected ?? {};
	if (!isRecent(waitAfter(times), at)) {
		const isInARow = isRecent(waitAfter(times) + MAX_WAIT_MS, at);
		login.rejected = { reason, at: Date.now(), times: isInARow ? times + 1 : 1 };
	}
	return mustWait(login) ?? new LoginRejected(reason);
}

const waitAfter = (times: number) => Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (times - 1));

/** Returns the error of a rejected login that mustn't be tried again yet. */
function mustWait({ rejected }: Login): LoginRejected | undefined {
	if (!rejected) return undefined;
	const { reason, at, times } = rejected;
	return isRecent(waitAfter(times), at)
		? new LoginRejected(reason, at + waitAfter(times))
		: undefined;
}

/**
 * Throws LoginRejected if the PBX recently rejected this login and the credential hasn't changed since. Called by
 * triggers and operations, which run without a person.
 */
export function assertMayLogIn(credential: PbxCredential): void {
	const error = mustWait(loginOf(credential));
	if (error) throw error;
}

/**
 * Whether a login can help after the PBX rejected a credential's token; then, the last login isn't shared anymore. It
 * can't if the token is itself a renewal of the last minute.
 */
export function mayRenew(credential: PbxCredential): boolean {
	const login = loginOf(credential);
	if (login.token === undefined || login.token !== openToken(credential)) return true;
	if (login.isRenewal && isRecent(FRESH_MS, login.at)) return false;
	login.session = undefined;
	return true;
}

/**
 * Returns the sender that was last used to log in with a credential, or to wait for a login of another; undefined if
 * this process has none. n8n passes none to a credential's `authenticate`.
 */
export function senderOfLogin(credential: PbxCredential): Send | undefined {
	return loginOf(credential).send;
}

export function forgetLogin(credential: PbxCredential): void {
	loginOf(credential).session = undefined;
}

/** Forgets all logins. For tests, which start many PBXs with the same login. */
export function forgetLogins(): void {
	logins.clear();
}

/** The fields of a credential that a login sets. */
export interface LoginFields {
	authToken: string;
	accountId: string;
	webhookSecret: string;
}

/**
 * Exchanges login, password, and realm for a token (§5.1, §5.2), in the form in which it's stored. Also returns the
 * random text that the secrets of webhooks are made of: the stored one, or a new one. Throws AuthError.
 */
export async function renewToken(send: Send, data: CredentialData): Promise<LoginFields> {
	const credential = readCredential(data);
	const { token, accountId } = await exchangeToken(send, credential);
	const login = loginOf(credential);
	const webhookSecret =
		credential.webhookSecret || (login.webhookSecret ??= randomBytes(32).toString('hex'));
	return { authToken: sealToken(token, credential), accountId, webhookSecret };
}

/** Creates a sender that logs in if a credential has no token, and adds the token to each request. */
export function authenticating(send: Send): SendWithToken {
	return async (request, data) => {
		if (openToken(readCredential(data)) === undefined)
			Object.assign(data, await renewToken(send, data));
		return await send(authenticateRequest(data, request));
	};
}

/**
 * Sends `PUT /v1/<platform>/user_auth` and reads the response (§4.1, §5), from `data` or the top level, in either
 * case. Doesn't follow redirects: the body carries the password. Throws AuthError: wrong login, wrong address,
 * unreachable host, or no token.
 */
async function logIn(send: Send, credential: PbxCredential): Promise<Session> {
	const response = await askForToken(send, credential);
	const { statusCode, body } = response;
	const token = loginField(body, 'auth_token');
	const accountId = loginField(body, 'account_id');
	const isSuccess = statusCode >= 200 && statusCode <= 299 && !isRejectedLogin(body);
	if (!isSuccess || !token || !accountId) throw loginErrorOf(response, credential);
	return {
		token,
		accountId,
		accountName: loginField(body, 'account_name'),
		accountRealm: loginField(body, 'account_realm'),
		ownerId: loginField(body, 'owner_id'),
		ownerRole: loginField(body, 'owner_role'),
	};
}

async function askForToken(send: Send, credential: PbxCredential): Promise<ReadResponse> {
	const { baseUrl, ignoreSslIssues } = credential;
	const ending = new AbortController();
	const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUTS.login)]);
	const close = () => ending.abort('closed');
	const exchange = async () => {
		const sent = await send({
			method: 'PUT',
			url: `${baseUrl}${basePathOf(credential)}/user_auth`,
			body: { data: loginData(credential) },
			headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
			signal,
			ignoreSslIssues,
		});
		const response: OpenResponse = { ...sent, close };
		guard(response.body);
		return { ...response, body: await readWords(response) };
	};
	try {
		return await unlessAborted(signal, exchange);
	} catch (error) {
		throw faultOf(error, credential);
	} finally {
		close();
	}
}

/** Returns the payload of a login (§5.1). */
function loginData({ dialect, login, password, realm, accountName }: PbxCredential): IDataObject {
	if (!dialect.hashesPassword) return { login, password, realm };
	return {
		credentials: createHash('md5').update(`${login}:${password}`).digest('hex'),
		method: 'md5',
		...(realm !== '' && { realm }),
		...(accountName !== '' && { account_name: accountName }),
	};
}

/** Returns the error for a login without a whole response: unknown host, timeout, TLS, or n8n's SSRF protection. */
function faultOf(error: unknown, { baseUrl }: PbxCredential): AuthError {
	const { reason, hint, isBlocked } = networkFault(error, new URL(baseUrl).host);
	return new AuthError(`Couldn't log in to the PBX: ${reason}. ${hint}`, {
		isTransient: !isBlocked,
	});
}

const NO_LOGIN_HERE = new Set([404, 405, 410, 415]);

/** Returns the error for a login response without a token (§5.2, §7). */
function loginErrorOf(response: ReadResponse, credential: PbxCredential): AuthError {
	const { statusCode, headers } = response;
	const { baseUrl, dialect } = credential;
	const body = blankSecrets(response.body, secretsOf(credential, response.body));
	const words = statusCode < 400 ? messageIn(body) : saidIn(withoutSecrets(body, []));
	const said = words ? ` It says: "${words}".` : '';
	const checkLogin = `Check ${dialect.fields.login} in the Virtual PBX credential.`;
	const checkAddress = `Check ${dialect.fields.address} in the Virtual PBX credential.`;

	if (statusCode < 300) {
		const ErrorClass = isRejectedLogin(body) ? LoginRejected : AuthError;
		return new ErrorClass(
			isObject(body)
				? `The PBX's login response has no usable token or account. ${checkLogin} Also check ${dialect.fields.address}.${said}`
				: `The response from ${baseUrl} isn't from a PBX API (expected JSON). ${checkAddress}${said}`,
		);
	}
	if (statusCode < 400) {
		const location = String(headers.location ?? '');
		const target = URL.canParse(location) ? `to ${new URL(location).origin}` : 'to another address';
		return new AuthError(
			`The Base URL redirects ${target} (${statusCode}), but n8n doesn't send the password there. Set 'Base URL' to the final address.`,
		);
	}
	if (NO_LOGIN_HERE.has(statusCode)) {
		const place = `${baseUrl}${decodeURIComponent(basePathOf(credential))}`;
		const check =
			statusCode === 410
				? dialect.whenGone
				: `${checkAddress} Some systems also respond this way to an unknown realm.`;
		return new AuthError(`There is no PBX login at ${place} (${statusCode}).${said} ${check}`);
	}
	if (statusCode === 429 || statusCode >= 500) {
		const { reason, hint } = meaningOf(statusCode);
		return new AuthError(`Couldn't log in to the PBX: ${reason} (${statusCode}).${said} ${hint}`, {
			isTransient: true,
		});
	}
	const complaints = complaintsIn({ status: statusCode, complaints: fieldComplaints(body) });
	const rejected = complaints === undefined ? '' : ` ${complaints.replace(/\.$/, '')}.`;
	return new LoginRejected(
		`The PBX doesn't accept the login, password, or realm (${statusCode}).${rejected}${said} ${checkLogin}`,
	);
}
