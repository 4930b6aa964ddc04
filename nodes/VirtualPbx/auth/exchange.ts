import { LruMap } from '../values/lruMap';
import type { PbxCredential } from './credential';
import type { HttpRequest, Login } from './login';
import { logIn } from './login';
import { fingerprint, openToken } from './token';

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

/**
 * Forgets a login whose token is the refused one that `credential` has, or that ended before a moment in Unix
 * milliseconds: the next exchange logs in.
 */
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
