import { withoutUndefined } from '../util/json';
import { pause, unlessAborted } from '../util/limits';
import { openToken, readCredential, secretsOf } from './credential';
import {
	cancelled,
	errorOfBody,
	errorOfResponse,
	errorOfThrown,
	outOfTime,
} from './errors/failures';
import { PbxError } from './errors/pbxError';
import { assertMayLogIn, mayRenew } from './login';
import { blankSecrets } from './redact';
import type { OpenResponse } from './response';
import { discard, errorOfContent, guard, readErrorBody, readJson, TIMEOUTS } from './response';
import type {
	CredentialData,
	HttpRequest,
	HttpResponse,
	PbxRequest,
	Send,
	SendWithToken,
} from './types';

/** The state that all requests of one client share. */
export interface Connection {
	send: Send;
	sendWithToken: SendWithToken;
	/** Reloads the credential, which might have a newer token by now. */
	reload: () => Promise<CredentialData>;
	/** Replaced when there is a newer token. */
	data: CredentialData;
	/** The PBX's host and port, for messages. */
	host: string;
	/** Aborts when a person or n8n cancels. */
	cancel: AbortSignal;
	/** Aborts when the time for all requests is over. */
	deadline: AbortSignal;
}

/**
 * Sends a request in an account, by default the login's own, with retries (docs/internals/reliability.md), and returns
 * the JSON of its response. Throws PbxError.
 */
export async function sendRequest(
	connection: Connection,
	request: PbxRequest,
	accountId?: string,
): Promise<unknown> {
	assertPath([accountId || 'own', ...request.path]);
	const { method, evenWhenCancelled, isOptional, isOnce } = request;
	const sent = requestOf(request, accountId);
	let mayBeDone = false;
	const delayAfter = (error: PbxError, tries: number) => {
		mayBeDone ||= error.mayHaveActed;
		return isOptional || isOnce ? undefined : retryDelay(error, method, tries);
	};
	const tryOnce = async (data: CredentialData) =>
		await sendOnce(connection, { request: sent, data, evenWhenCancelled }, request);
	return await attempt(connection, { delayAfter, evenWhenCancelled, isOnce }, tryOnce).catch(
		(error: PbxError) => {
			// A repeated DELETE found nothing: the first one worked, only its response was lost.
			if (mayBeDone && method === 'DELETE' && error.status === 404) return {};
			throw error.inRequest(request);
		},
	);
}

/** Segments that would change the path even when encoded. */
const DOTS = /^\.{0,2}$/;

function assertPath(ids: readonly string[]): void {
	const unfit = ids.find((id) => DOTS.test(id));
	if (unfit !== undefined)
		throw new PbxError({ kind: 'unsent', reason: `The ID "${unfit}" can't be used` });
}

function requestOf(request: PbxRequest, accountId: string | undefined): Sending['request'] {
	const account = accountId ? encodeURIComponent(accountId) : '{account_id}';
	const base = request.outsideAccount ? '/v1/{platform}' : `/v1/{platform}/accounts/${account}`;
	const hasBody = request.data !== undefined;
	return {
		method: request.method,
		url: [base, ...request.path.map(encodeURIComponent)].join('/'),
		headers: {
			Accept: 'application/json',
			...(hasBody ? { 'Content-Type': 'application/json' } : {}),
		},
		...(request.query ? { query: withoutUndefined(request.query) } : {}),
		...(hasBody ? { body: { data: request.data } } : {}),
	};
}

/** How to go on after a failed try. */
interface Attempts {
	/** Returns how long to wait before the next try, in milliseconds; undefined to give up. */
	delayAfter: (error: PbxError, tries: number) => number | undefined;
	/** Converts what a try has thrown; by default, as `errorOfThrown` does. */
	errorOf?: (thrown: unknown) => PbxError;
	/** Doesn't try again with another token either. */
	isOnce?: boolean | undefined;
	evenWhenCancelled?: boolean | undefined;
}

/**
 * Tries something until it works or isn't worth another try. A try with a rejected token (401; §5 doesn't show the
 * lifetime) did nothing, so it's repeated first with a newer stored token, then after a login, even if it writes. Each
 * try gets a copy of the credential, since a login writes its token into it. Throws PbxError.
 */
export async function attempt<T>(
	connection: Connection,
	{ delayAfter, errorOf, isOnce, evenWhenCancelled }: Attempts,
	tryOnce: (data: CredentialData) => Promise<T>,
): Promise<T> {
	let tokens = 0;
	for (let tries = 1; ; ) {
		const data = { ...connection.data };
		const { authToken } = data;
		let error: PbxError;
		try {
			return await tryOnce(data);
		} catch (thrown) {
			error = errorOf?.(thrown) ?? errorOfThrown(thrown, connection.host);
		} finally {
			if (data.authToken !== authToken) connection.data = { ...data };
		}
		const isRejected = error.status === 401 && !isOnce;
		if (isRejected && tokens++ < 2 && (await findNewerToken(connection, data))) continue;
		const delay = delayAfter(error, tries++);
		if (delay === undefined) throw error;
		await pause(delay, signalOf(connection, evenWhenCancelled));
		if (whyStopped(connection, evenWhenCancelled)) throw error;
	}
}

/**
 * Replaces a rejected token with a newer one that another request, execution, or process has obtained, or else with
 * none, after which the next try logs in. Returns whether that can help.
 */
async function findNewerToken(connection: Connection, rejected: CredentialData): Promise<boolean> {
	const isNewer = () => connection.data.authToken !== rejected.authToken;
	if (!isNewer()) connection.data = await connection.reload();
	if (isNewer()) return true;
	if (!mayRenew(readCredential(rejected))) return false;
	connection.data = { ...connection.data, authToken: '' };
	return true;
}

/** How often a request is sent at most, in general and to a silent PBX. */
const TRIES = 4;
const SILENT_TRIES = 2;
const BASE_DELAY_MS = 400;
const MAX_DELAY_MS = 20_000;
const BUSY = new Set([429, 503, 504]);
const REPEATABLE = new Set(['GET', 'DELETE']);

/**
 * Returns the delay in milliseconds before the next try, respecting the PBX's `Retry-After`; undefined to give up.
 * GET and DELETE are retried after 429, 503, 504, and network faults. PUT and POST are retried only if the request
 * definitely didn't arrive.
 */
export function retryDelay(
	{ details }: PbxError,
	method: string,
	tries: number,
): number | undefined {
	const { kind, notSent, status = 0, retryAfterMs, isTimeout } = details;
	if (tries >= (isTimeout ? SILENT_TRIES : TRIES)) return undefined;
	const mayRepeat =
		(kind === 'network' && notSent) ||
		(REPEATABLE.has(method) && (kind === 'network' || BUSY.has(status)));
	if (!mayRepeat) return undefined;

	if (retryAfterMs !== undefined) return retryAfterMs <= MAX_DELAY_MS ? retryAfterMs : undefined;
	const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (tries - 1));
	return ceiling / 2 + Math.random() * (ceiling / 2);
}

export interface Sending {
	request: Omit<HttpRequest, 'ignoreSslIssues' | 'signal' | 'timeout'>;
	/** The credential whose token is sent; undefined sends none. */
	data: CredentialData | undefined;
	evenWhenCancelled?: boolean | undefined;
}

/** Sends one request, reads its full response, and checks it. Throws PbxError. */
export async function sendOnce(
	connection: Connection,
	sending: Sending,
	{ isList, budget }: Pick<PbxRequest, 'isList' | 'budget'>,
): Promise<unknown> {
	const response = await open(connection, sending);
	const { statusCode } = response;
	// Masks secrets only in errors: data stays as it is.
	const cleaned = (body: unknown) => {
		const secrets = secretsOf(readCredential(sending.data ?? connection.data), body);
		return { ...response, body: blankSecrets(body, secrets) };
	};
	try {
		if (statusCode < 200 || statusCode > 299)
			throw errorOfResponse(cleaned(await readErrorBody(response)));
		const body = await readJson(response, budget).catch((error: unknown) => {
			if (error instanceof PbxError) throw error;
			const stopped = whyStopped(connection, sending.evenWhenCancelled);
			throw stopped ?? errorOfBody(error, connection.host);
		});
		if (errorOfContent({ ...response, body }, isList)) {
			throw errorOfContent(cleaned(body), isList) as PbxError;
		}
		return body;
	} finally {
		discard(response);
	}
}

/**
 * Sends one request and waits for its response to begin, whatever the status. The signals end the wait, a login, and
 * later the body. Throws PbxError if there is no response.
 */
export async function open(connection: Connection, sending: Sending): Promise<OpenResponse> {
	const { request, evenWhenCancelled } = sending;
	const ended = whyStopped(connection, evenWhenCancelled);
	if (ended) throw new PbxError({ ...ended.details, notSent: true });
	const ending = new AbortController();
	const signal = AbortSignal.any([ending.signal, signalOf(connection, evenWhenCancelled)]);
	// A reason of our own, since the default one is an error with a stack trace.
	const close = () => ending.abort('closed');
	try {
		const send = async () => {
			const response = await sendNow(connection, sending, signal);
			// A response that begins at the same moment would stay open: no one reads it anymore.
			if (signal.aborted) response.body.destroy();
			return response;
		};
		return { ...(await unlessAborted(signal, send)), close };
	} catch (error) {
		close();
		const host = hostOf(request.url, connection.host);
		throw whyStopped(connection, evenWhenCancelled) ?? errorOfThrown(error, host);
	}
}

async function sendNow(
	{ send, sendWithToken, data: own }: Connection,
	{ request, data }: Sending,
	signal: AbortSignal,
): Promise<HttpResponse> {
	const credential = readCredential(data ?? own);
	const { ignoreSslIssues } = credential;
	const full = { ...request, timeout: TIMEOUTS.response, signal, ignoreSslIssues };
	if (data && openToken(credential) === undefined) assertMayLogIn(credential);
	const response = data ? await sendWithToken(full, data) : await send(full);
	guard(response.body);
	return response;
}

/** Returns the host and port of an address, for messages. */
export function hostOf(address: string, otherwise = 'the PBX'): string {
	return URL.canParse(address) ? new URL(address).host : otherwise;
}

export function signalOf({ cancel, deadline }: Connection, evenWhenCancelled = false): AbortSignal {
	return evenWhenCancelled ? deadline : AbortSignal.any([cancel, deadline]);
}

/** Returns why a client can't send requests anymore; undefined while it can. */
export function whyStopped(
	{ cancel, deadline }: Connection,
	evenWhenCancelled = false,
): PbxError | undefined {
	if (cancel.aborted && !evenWhenCancelled) return cancelled();
	return deadline.aborted ? outOfTime() : undefined;
}
