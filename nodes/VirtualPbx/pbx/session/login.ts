import { BoundedMap } from '../../util/boundedMap';
import { LoginRejected } from '../errors/pbxError';
import { guard, readWords } from '../http/body';
import { isRejectedLogin, loginField } from '../http/envelope';
import type { ReadResponse, Send } from '../http/message';
import { TIMEOUTS, unlessAborted } from '../http/timeouts';
import { Backoff } from './backoff';
import type { PbxCredential } from './credential';
import { fingerprint, openToken } from './credential';
import { faultOf, loginErrorOf } from './loginError';

/** The PBX's data about the user who logged in (§5.2). */
export interface Session {
	token: string;
	accountId: string;
	accountName: string | undefined;
	accountRealm: string | undefined;
	ownerId: string | undefined;
	ownerRole: string | undefined;
}

/**
 * Sends `PUT /v1/<platform>/user_auth` and reads the response (§4.1, §5), from `data` or the top level, in either
 * case. Doesn't follow redirects: the body carries the password. Throws AuthError: wrong login, wrong address,
 * unreachable host, or no token.
 */
async function logIn(send: Send, credential: PbxCredential): Promise<Session> {
	const response = await askForToken(send, credential);
	const { statusCode, body } = response;
	const isRejected = isRejectedLogin(body);
	const token = loginField(body, 'auth_token');
	const accountId = loginField(body, 'account_id');
	if (statusCode < 200 || statusCode > 299 || isRejected || !token || !accountId) {
		throw loginErrorOf(response, credential);
	}
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
	const { baseUrl, platform, dialect, ignoreSslIssues } = credential;
	const ending = new AbortController();
	const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUTS.login)]);
	const request = {
		method: 'PUT',
		url: `${baseUrl}${dialect.basePath(platform)}/user_auth`,
		body: { data: dialect.loginData(credential) },
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		signal,
		ignoreSslIssues,
	} as const;
	const close = () => ending.abort('closed');
	const exchange = async () => {
		const response = { ...(await send(request)), close };
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

/**
 * How long a login is shared with later callers: requests that are rejected together don't all ask for a token at
 * the same moment.
 */
const RECENT_MS = 60_000;
const MAX_LOGINS = 200;

/** How soon after a login a new rejection means that the resource doesn't accept the token. */
const FRESH_MS = 10_000;
/** After a login that the PBX rejected: it can lock out a user after too many tries. */
const REFUSED_PACE = { firstMs: 60_000, factor: 2, longestMs: 30 * 60_000 };
/** After a request that was rejected even with a new token. */
const USELESS_PACE = { firstMs: 30_000, factor: 4, longestMs: 10 * 60_000 };

/** This process's newest login for a set of login data; `token` and `at` (Unix milliseconds) are set once it ends. */
interface Exchange {
	login: Promise<Session>;
	/** The sender of the latest caller. */
	send: Send;
	token?: string;
	at?: number;
	/** The kind of request for which the previous token was rejected. */
	renewedFor: string | undefined;
	/** Whether the PBX has accepted the token. */
	hasServed?: boolean;
	/** The kind of request for which the token was rejected: the next caller logs in again. */
	rejectedFor?: string;
}

/** A login's kinds of requests whose failures are remembered. */
const MAX_KINDS = 100;

/** Everything that this process knows of one set of login data. */
class LoginMemory {
	exchange?: Exchange | undefined;
	/** Whether the PBX rejected the login. */
	readonly rejection = new Backoff(REFUSED_PACE);
	/** By kind of request, whether new tokens didn't help. */
	private readonly useless = new BoundedMap<string, Backoff>(MAX_KINDS);

	uselessFor(kind: string): Backoff {
		return this.useless.set(kind, this.useless.get(kind) ?? new Backoff(USELESS_PACE));
	}
}

/** By the fingerprint of the login data. */
const logins = new BoundedMap<string, LoginMemory>(MAX_LOGINS);

function memoryOf(credential: PbxCredential): LoginMemory {
	const key = fingerprint(credential);
	return logins.set(key, logins.get(key) ?? new LoginMemory());
}

/**
 * Exchanges login data for a token (§5). Doesn't check for earlier rejections, since credential tests need an
 * immediate login. Callers during a login, or up to a minute after it, share it, unless its token is the rejected one
 * in `credential`. Throws AuthError, see `logIn`.
 */
export async function exchangeToken(send: Send, credential: PbxCredential): Promise<Session> {
	const memory = memoryOf(credential);
	const { exchange: known, rejection } = memory;
	if (known && isUsable(known, openToken(credential))) {
		known.send = send;
		return await known.login;
	}
	const login = logIn(send, credential).catch((error: unknown) => {
		if (!(error instanceof LoginRejected)) throw error;
		rejection.fail(error.message);
		throw new LoginRejected(error.message, rejection.until);
	});
	const exchange: Exchange = { login, send, renewedFor: known?.rejectedFor };
	memory.exchange = exchange;
	try {
		const { token } = await login;
		Object.assign(exchange, { token, at: Date.now() });
		rejection.reset();
		return await login;
	} finally {
		if (exchange.at === undefined) memory.exchange = undefined;
	}
}

function isUsable({ token, at, rejectedFor }: Exchange, refused: string | undefined): boolean {
	if (at === undefined) return true;
	return rejectedFor === undefined && token !== refused && Date.now() - at < RECENT_MS;
}

/**
 * Throws LoginRejected if the PBX recently rejected this login and the credential hasn't changed since. Called by
 * triggers and operations, which run without a person.
 */
export function assertMayLogIn(credential: PbxCredential): void {
	const { isHolding, reason, until } = memoryOf(credential).rejection;
	if (isHolding) throw new LoginRejected(reason, until);
}

/**
 * Whether a new login can help a request whose token was rejected. It can't if the last one didn't help such
 * requests: then the user lacks the permission, which the PBX reports as 401.
 */
export function mayRenew(credential: PbxCredential, kind: string): boolean {
	const memory = memoryOf(credential);
	if (memory.uselessFor(kind).isHolding) return false;
	const { token, at = 0, renewedFor, hasServed } = memory.exchange ?? {};
	const isFresh = token === openToken(credential) && Date.now() - at < FRESH_MS;
	return !(isFresh && renewedFor === kind && !hasServed);
}

/** Records that a request worked with the token. */
export function recordServed(credential: PbxCredential): void {
	const { exchange } = memoryOf(credential);
	if (exchange && exchange.token === openToken(credential)) exchange.hasServed = true;
}

/** Records whether a new token has helped requests of one kind. */
export function recordRenewal(credential: PbxCredential, kind: string, hasHelped: boolean): void {
	const useless = memoryOf(credential).uselessFor(kind);
	if (hasHelped) useless.reset();
	else useless.fail();
}

/**
 * Returns the sender that was last used to log in with a credential, or to wait for a login of another; undefined if
 * this process has none. n8n passes none to a credential's `authenticate`.
 */
export function senderOfLogin(credential: PbxCredential): Send | undefined {
	return memoryOf(credential).exchange?.send;
}

/**
 * Stops sharing a login if its token is the one in `credential`, or if it ended before the given moment in Unix
 * milliseconds.
 */
export function forgetLogin(credential: PbxCredential, before = 0, kind = ''): void {
	const { exchange: known } = memoryOf(credential);
	const { token, at = Infinity } = known ?? {};
	const isRejected = token !== undefined && token === openToken(credential);
	if (known && (at < before || isRejected)) known.rejectedFor = kind;
}

/** Forgets all logins. For tests, which start many PBXs with the same login. */
export function forgetLogins(): void {
	logins.clear();
}
