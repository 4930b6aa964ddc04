import type { PbxCredential } from './credential';
import type { HttpRequest, Login } from './login';
import { logIn } from './login';
import { fingerprint, openToken } from './token';

/** How long a login serves those who come for a token after it: requests that were refused together do not come at once. */
const RECENT_MS = 60_000;
const MAX_EXCHANGES = 200;

/** The newest login of this process for one login data; `token` and `at` (Unix milliseconds) once it has ended. */
interface Exchange {
	login: Promise<Login>;
	token?: string;
	at?: number;
}

const exchanges = new Map<string, Exchange>();

/**
 * Exchanges login data for a token (§5). Whoever comes during a login shares it, and so does who comes within a minute
 * after it, unless its token is the one that was refused.
 *
 * @param credential with the token that was refused; without one where there is none
 * @throws PbxRefusal, see `logIn`; a failed login is shared with those who waited, and never kept
 */
export async function exchangeToken(
	httpRequest: HttpRequest,
	credential: PbxCredential,
): Promise<Login> {
	const key = fingerprint(credential);
	const known = exchanges.get(key);
	if (known && isUsable(known, openToken(credential))) return await known.login;

	const exchange: Exchange = { login: logIn(httpRequest, credential) };
	const [oldest] = exchanges.keys();
	if (exchanges.size >= MAX_EXCHANGES && oldest !== undefined) exchanges.delete(oldest);
	exchanges.set(key, exchange);
	try {
		const login = await exchange.login;
		Object.assign(exchange, { token: login.token, at: Date.now() });
		return login;
	} finally {
		if (exchange.at === undefined) exchanges.delete(key);
	}
}

function isUsable({ token, at }: Exchange, refused: string | undefined): boolean {
	return at === undefined || (token !== refused && Date.now() - at < RECENT_MS);
}

/** Notes that the PBX has refused a token: no one gets it any more. */
export function forgetToken(credential: PbxCredential, token: string): void {
	const key = fingerprint(credential);
	if (exchanges.get(key)?.token === token) exchanges.delete(key);
}

/**
 * Tells whether a token comes from a login of this process after a moment, so that another login would not help.
 *
 * @param moment Unix milliseconds
 */
export function isFresh(credential: PbxCredential, token: string, moment: number): boolean {
	const { token: known, at = 0 } = exchanges.get(fingerprint(credential)) ?? {};
	return known === token && at >= moment;
}

/** Forgets all logins. For tests, which start many PBXs with the same login. */
export function forgetLogins(): void {
	exchanges.clear();
}
