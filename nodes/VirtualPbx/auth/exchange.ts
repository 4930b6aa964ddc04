import type { PbxCredential } from './credential';
import type { Send, Login } from './login';
import { logIn } from './login';
import { fingerprint, openToken } from './token';

/** How long a login serves those who ask for one without a token that was refused. */
const RECENT_MS = 60_000;
/** How long a renewal that did not help is not tried again for the same kind of request. */
const USELESS_MS = 10 * 60_000;
const MAX_SESSIONS = 200;
const MAX_KEPT = 50;

/** What this process knows about the tokens of one login data. */
interface Session {
	/** A login under way, which all callers share. */
	pending?: Promise<Login> | undefined;
	/** The newest login, as long as its token has not been refused. */
	login?: Login | undefined;
	/** When it ended, in Unix milliseconds. */
	at: number;
	/** Whether the PBX has ever done something for its token. */
	isProven: boolean;
	/** Tokens that have been refused or replaced. */
	older: Set<string>;
	/** Kinds of requests that stayed refused with a new token, and since when. */
	useless: Map<string, number>;
}

const sessions = new Map<string, Session>();

/**
 * Logs in at most once at a time per login data and process (§5).
 * Callers that arrive during a login share it. A caller whose request was refused with an older token gets the newest
 * one instead of a new login. A real login follows where that very token was refused, or one that this process does not
 * know: another process may have got it later.
 *
 * @param send how it talks to the PBX
 * @param credential the credential as the caller knows it, with the token that was refused; without one where it has none
 * @throws Error in the user's words, see `logIn`; a failed login is shared with those who waited, and never kept
 */
export async function exchangeToken(send: Send, credential: PbxCredential): Promise<Login> {
	const session = sessionOf(credential);
	const refused = openToken(credential);
	const isKnown = refused === undefined ? isRecent(session) : session.older.has(refused);
	if (refused !== undefined) retire(session, refused);
	if (session.pending) return await session.pending;
	if (session.login && isKnown) return session.login;
	return await (session.pending = begin(session, send, credential));
}

async function begin(session: Session, send: Send, credential: PbxCredential): Promise<Login> {
	try {
		const login = await logIn(send, credential);
		if (session.login) retire(session, session.login.token);
		session.older.delete(login.token);
		Object.assign(session, { login, at: Date.now(), isProven: false });
		return login;
	} finally {
		session.pending = undefined;
	}
}

/**
 * Tells who the login data belongs to (§5.2): from the login of the last minute, otherwise by a login of its own, since
 * n8n keeps nothing of the answer but token and account.
 *
 * @throws Error in the user's words, see `logIn`
 */
export async function whoAmI(send: Send, credential: PbxCredential): Promise<Login> {
	const session = sessionOf(credential);
	if (session.pending) return await session.pending;
	return session.login && isRecent(session) ? session.login : await exchangeToken(send, credential);
}

function isRecent({ at }: Session): boolean {
	return Date.now() - at < RECENT_MS;
}

/** The newest login of this process whose token has not been refused. */
export function newestLogin(credential: PbxCredential): Login | undefined {
	return sessionOf(credential).login;
}

/** Tells whether this process has seen the token refused or replaced. */
export function isOutdated(credential: PbxCredential, token: string): boolean {
	return sessionOf(credential).older.has(token);
}

/** Notes that the PBX has refused a token: it is not sent again. */
export function noteRefused(credential: PbxCredential, token: string): void {
	retire(sessionOf(credential), token);
}

/** Notes that the PBX has done something for a token. */
export function noteServed(credential: PbxCredential, token: string): void {
	const session = sessionOf(credential);
	if (session.login?.token === token) session.isProven = true;
}

/** How old a token is: `new` since a moment, `unproven` where it has never worked, or neither. */
export type Age = 'new' | 'unproven' | 'unknown';

/** @param since Unix milliseconds */
export function ageOf(credential: PbxCredential, token: string, since: number): Age {
	const { login, at, isProven } = sessionOf(credential);
	if (login?.token !== token) return 'unknown';
	if (at >= since) return 'new';
	return isProven ? 'unknown' : 'unproven';
}

/** Tells whether a new token has not helped this kind of request within the last ten minutes. */
export function isRenewalUseless(credential: PbxCredential, kind: string): boolean {
	const at = sessionOf(credential).useless.get(kind);
	return at !== undefined && Date.now() - at < USELESS_MS;
}

/** Notes that a new token has not helped this kind of request. */
export function noteUseless(credential: PbxCredential, kind: string): void {
	const { useless } = sessionOf(credential);
	useless.set(kind, Date.now());
	dropOldest(useless, MAX_KEPT);
}

/** The tokens of the login data that this process has seen of late. */
export function knownTokens(credential: PbxCredential): string[] {
	const { login, older } = sessionOf(credential);
	return login ? [login.token, ...older] : [...older];
}

/** Forgets all logins. For tests, which start many PBXs with the same login. */
export function forgetLogins(): void {
	sessions.clear();
}

function sessionOf(credential: PbxCredential): Session {
	const key = fingerprint(credential);
	const known = sessions.get(key);
	if (known) return known;
	const session: Session = { at: 0, isProven: false, older: new Set(), useless: new Map() };
	sessions.set(key, session);
	dropOldest(sessions, MAX_SESSIONS);
	return session;
}

function retire(session: Session, token: string): void {
	session.older.add(token);
	dropOldest(session.older, MAX_KEPT);
	if (session.login?.token === token) session.login = undefined;
}

function dropOldest(kept: Map<string, unknown> | Set<string>, max: number): void {
	const [oldest] = kept.keys();
	if (kept.size > max && oldest !== undefined) kept.delete(oldest);
}
