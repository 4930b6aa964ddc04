import { LruMap } from '../../util/lruMap';
import { LoginRejected } from '../errors/pbxError';
import { guard, readWords } from '../http/body';
import type { Send } from '../http/message';
import { TIMEOUTS, unlessAborted } from '../http/timeouts';
import { Backoff } from './backoff';
import type { PbxCredential } from './credential';
import { fingerprint, openToken } from './credential';
import type { FullAnswer } from './loginRefusal';
import { faultOf, pick, refusalOf } from './loginRefusal';

/** What the PBX returns about the user who logged in (§5.2). */
export interface Session {
	token: string;
	accountId: string;
	accountRealm: string | undefined;
	ownerId: string | undefined;
	ownerRole: string | undefined;
}

/**
 * Sends `PUT /v1/<platform>/user_auth` and reads the answer (§4.1, §5), from `data` or the top level, in either case.
 * Redirects are not followed: the body carries the password. Throws AuthError: wrong login, wrong address, unreachable
 * host, or no token.
 */
export async function logIn(send: Send, credential: PbxCredential): Promise<Session> {
	const answer = await askForToken(send, credential);
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

async function askForToken(send: Send, credential: PbxCredential): Promise<FullAnswer> {
	const { login, password, realm, baseUrl, platform, ignoreSslIssues } = credential;
	const ending = new AbortController();
	const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUTS.login)]);
	const request = {
		method: 'PUT',
		url: `${baseUrl}/v1/${encodeURIComponent(platform)}/user_auth`,
		body: { data: { login, password, realm } },
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

/** How long a login serves those who come for a token after it: requests that were refused together do not come at once. */
const RECENT_MS = 60_000;
const MOST_LOGINS = 200;

/** How soon a token that was renewed in vain is taken for one that a resource does not accept. */
const FRESH_MS = 10_000;
/** After a login that the PBX has refused: it may lock a user who tries too often. */
const REFUSED_PACE = { firstMs: 60_000, factor: 2, longestMs: 30 * 60_000 };
/** After a new token with which a request was refused as well. */
const USELESS_PACE = { firstMs: 30_000, factor: 4, longestMs: 10 * 60_000 };

/** The newest login of this process for one login data; `token` and `at` (Unix milliseconds) once it has ended. */
interface Exchange {
	login: Promise<Session>;
	/** Of whoever came last for a token. */
	send: Send;
	token?: string;
	at?: number;
	/** The kind of request for which the token before it was refused. */
	renewedFor: string | undefined;
	/** The PBX has accepted the token. */
	hasServed?: boolean;
	/** The kind of request for which the token is refused: the next caller logs in anew. */
	refusedFor?: string;
}

/** By the fingerprint of the login data. */
const exchanges = new LruMap<string, Exchange>(MOST_LOGINS);
/** By the fingerprint of the login data. */
const refusedLogins = new Backoff(REFUSED_PACE);
/** By the fingerprint and the kind of request. */
const uselessLogins = new Backoff(USELESS_PACE);

/**
 * Exchanges login data for a token (§5), at once, as a credential test needs it. Whoever comes during a login, or within a
 * minute after it, shares it, unless its token is the refused one that `credential` has. Throws AuthError, see `logIn`.
 */
export async function exchangeToken(send: Send, credential: PbxCredential): Promise<Session> {
	const key = fingerprint(credential);
	const known = exchanges.get(key);
	if (known && isUsable(known, openToken(credential))) {
		known.send = send;
		return await known.login;
	}
	const login = logIn(send, credential).catch((error: unknown) => {
		if (!(error instanceof LoginRejected)) throw error;
		throw new LoginRejected(error.message, refusedLogins.fail(key, error.message));
	});
	const renewedFor = known?.refusedFor;
	const exchange: Exchange = exchanges.set(key, { login, send, renewedFor });
	try {
		const { token } = await login;
		Object.assign(exchange, { token, at: Date.now() });
		refusedLogins.forget(key);
		return await login;
	} finally {
		if (exchange.at === undefined) exchanges.delete(key);
	}
}

function isUsable({ token, at, refusedFor }: Exchange, refused: string | undefined): boolean {
	if (at === undefined) return true;
	return refusedFor === undefined && token !== refused && Date.now() - at < RECENT_MS;
}

/**
 * Throws LoginRejected where the PBX has refused this login lately and nobody has changed the credential since. Checked by
 * whatever runs without a person: triggers and operations.
 */
export function assertMayLogIn(credential: PbxCredential): void {
	const hold = refusedLogins.holdOf(fingerprint(credential));
	if (hold) throw new LoginRejected(hold.reason, hold.until);
}

/**
 * Whether a new login may help a request whose token the PBX refused. Not where the last one for such requests was in vain:
 * then the PBX does not let this user do it, and says so with 401.
 */
export function mayRenew(credential: PbxCredential, kind: string): boolean {
	const key = fingerprint(credential);
	if (uselessLogins.holdOf(`${key} ${kind}`)) return false;
	const { token, at = 0, renewedFor, hasServed } = exchanges.get(key) ?? {};
	const isFresh = token === openToken(credential) && Date.now() - at < FRESH_MS;
	return !(isFresh && renewedFor === kind && !hasServed);
}

/** Records whether a request worked with a token. */
export function noteServed(credential: PbxCredential): void {
	const known = exchanges.get(fingerprint(credential));
	if (known?.token === openToken(credential)) Object.assign(known ?? {}, { hasServed: true });
}

/** Records whether a new token has helped requests of one kind. */
export function noteRenewal(credential: PbxCredential, kind: string, hasHelped: boolean): void {
	const key = `${fingerprint(credential)} ${kind}`;
	if (hasHelped) uselessLogins.forget(key);
	else uselessLogins.fail(key);
}

/** Returns the sender of the last login: n8n gives none to `authenticate` of a credential. */
export function senderOfLogin(credential: PbxCredential): Send | undefined {
	return exchanges.get(fingerprint(credential))?.send;
}

/** Lets no login serve anybody whose token is the one that `credential` has, or that ended before a moment in Unix milliseconds. */
export function forgetLogin(credential: PbxCredential, before = 0, kind = ''): void {
	const known = exchanges.get(fingerprint(credential));
	const { token, at = Infinity } = known ?? {};
	const isRefused = token !== undefined && token === openToken(credential);
	if (known && (at < before || isRefused)) known.refusedFor = kind;
}

/** Forgets all logins. For tests, which start many PBXs with the same login. */
export function forgetLogins(): void {
	exchanges.clear();
	refusedLogins.clear();
	uselessLogins.clear();
}
