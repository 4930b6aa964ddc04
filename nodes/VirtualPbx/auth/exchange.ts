import type { PbxCredential } from './credential';
import type { HttpRequest, Login } from './login';
import { logIn } from './login';
import { fingerprint, openToken } from './token';

const REUSE_MS = 60_000;

/** A login that callers share, while it is under way and for a minute after. */
interface Shared {
	login: Promise<Login>;
	/** Tokens that are surely older: refused before it ended, or got before it; undefined stands for none. */
	older: Set<string | undefined>;
	/** Where it has ended. */
	token?: string;
	at?: number;
}

const logins = new Map<string, Shared>();

/**
 * Logs in at most once at a time per login data and process (§5).
 * Callers that arrive during a login share it. A caller whose request was refused with an older token gets the login
 * of the last minute instead of a new one. A real login follows where that very token was refused, or one that this
 * process does not know: another process may have got it later.
 *
 * @param httpRequest n8n's request helper
 * @param credential the credential as the caller knows it, with the token that it used last
 * @throws Error in the user's words, see `logIn`; a failed login is shared with those who waited, and never kept
 */
export async function exchangeToken(
	httpRequest: HttpRequest,
	credential: PbxCredential,
): Promise<Login> {
	const key = fingerprint(credential);
	const refused = openToken(credential);
	const known = recentLogin(key);
	const shared =
		known && (known.at === undefined || known.older.has(refused))
			? known
			: begin(key, logIn(httpRequest, credential), known?.token);
	shared.older.add(refused);
	return await shared.login;
}

function begin(key: string, login: Promise<Login>, before: string | undefined): Shared {
	const shared: Shared = { login, older: new Set([undefined, before]) };
	logins.set(key, shared);
	login.then(
		({ token }) => Object.assign(shared, { token, at: Date.now() }),
		() => logins.delete(key),
	);
	return shared;
}

/**
 * Tells who the login data belongs to (§5.2): from the login of the last minute, otherwise by a login of its own, since
 * n8n keeps nothing of the answer but token and account.
 *
 * @throws Error in the user's words, see `logIn`
 */
export async function whoAmI(httpRequest: HttpRequest, credential: PbxCredential): Promise<Login> {
	return await (recentLogin(fingerprint(credential))?.login ??
		exchangeToken(httpRequest, credential));
}

/** Forgets the logins of the last minute. For tests, which start many PBXs with the same login. */
export function forgetLogins(): void {
	logins.clear();
}

function recentLogin(key: string): Shared | undefined {
	const now = Date.now();
	for (const [other, { at = now }] of logins) {
		if (now - at > REUSE_MS) logins.delete(other);
	}
	return logins.get(key);
}
