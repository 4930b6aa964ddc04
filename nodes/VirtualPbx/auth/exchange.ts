import type { PbxCredential } from './credential';
import type { HttpRequest, Login } from './login';
import { logIn } from './login';
import { fingerprint, openToken } from './token';

const REUSE_MS = 60_000;

interface Finished {
	login: Login;
	at: number;
}

const running = new Map<string, Promise<Login>>();
const finished = new Map<string, Finished>();

/**
 * Logs in at most once at a time per login data and process (§5).
 * Callers that arrive during a login share it. A caller whose request was refused with an older token gets the login
 * of the last minute instead of a new one; when that very token was refused, a real login follows.
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
	const recent = recentLogin(key);
	if (recent && recent.token !== openToken(credential)) return recent;

	const underWay = running.get(key);
	if (underWay) return await underWay;

	const login = logIn(httpRequest, credential).then((result) => {
		finished.set(key, { login: result, at: Date.now() });
		return result;
	});
	running.set(key, login);
	return await login.finally(() => running.delete(key));
}

/**
 * Tells who the login data belongs to (§5.2): from the login of the last minute, otherwise by a login of its own, since
 * n8n keeps nothing of the answer but token and account.
 *
 * @throws Error in the user's words, see `logIn`
 */
export async function whoAmI(httpRequest: HttpRequest, credential: PbxCredential): Promise<Login> {
	return recentLogin(fingerprint(credential)) ?? (await exchangeToken(httpRequest, credential));
}

/** Forgets the logins of the last minute. For tests, which start many PBXs with the same login. */
export function forgetLogins(): void {
	finished.clear();
}

function recentLogin(key: string): Login | undefined {
	const now = Date.now();
	for (const [other, { at }] of finished) {
		if (now - at > REUSE_MS) finished.delete(other);
	}
	return finished.get(key)?.login;
}
