import type { IDataObject } from 'n8n-workflow';

import { withoutUndefined } from '../../util/json';
import type { IsList } from '../errors/failures';
import {
	cancelled,
	errorOfBody,
	errorOfContent,
	errorOfResponse,
	errorOfThrown,
	outOfTime,
} from '../errors/failures';
import { PbxError } from '../errors/pbxError';
import { blankSecrets } from '../redact';
import type { CredentialData } from '../session/credential';
import { knownSecrets, openToken, readCredential } from '../session/credential';
import { assertMayLogIn } from '../session/login';
import { withToken } from '../session/token';
import type { OpenResponse } from './body';
import { discard, guard, readErrorBody, readJson } from './body';
import type { HttpRequest, HttpResponse, Send } from './message';
import { retryDelay } from './retry';
import { pause, TIMEOUTS, unlessAborted } from './timeouts';

/**
 * Sends a request with a credential's token. If there is none, logs in first and writes the new token into the data.
 */
export type SendWithToken = (request: HttpRequest, data: CredentialData) => Promise<HttpResponse>;

/** The state that all requests of one client share. */
export interface Connection {
	send: Send;
	sendWithToken: SendWithToken;
	/** Reloads the credential, which might have a newer token by now. */
	reload: () => Promise<CredentialData>;
	/** Replaced when there is a newer token. */
	data: CredentialData;
	/** The token that the PBX accepted last. */
	servedToken?: unknown;
	/** The PBX's host and port, for messages. */
	host: string;
	/** Aborts when a person or n8n cancels. */
	cancel: AbortSignal;
	/** Aborts when the time for all requests is over. */
	deadline: AbortSignal;
}

/** One request to send over a connection. */
export interface Sending {
	request: Omit<HttpRequest, 'ignoreSslIssues' | 'signal' | 'timeout'>;
	/** The credential whose token is sent; undefined sends none. */
	data: CredentialData | undefined;
	evenWhenCancelled?: boolean | undefined;
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

/** Returns the signal that ends a request. */
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

/** A request as operations describe it. */
export interface PbxRequest {
	method: HttpRequest['method'];
	/** Path segments below the account; each is encoded. */
	path: readonly string[];
	query?: IDataObject | undefined;
	/** The payload, which gets wrapped into `{ data }` (§1). */
	data?: IDataObject | undefined;
	/** Whether the response must hold a list. */
	isList?: IsList;
	/** Whether the path is outside the account, as in §4.2 note 2. */
	outsideAccount?: boolean;
	/** Whether to send it even after cancellation, to undo a change that would be left half done. */
	evenWhenCancelled?: boolean | undefined;
	/** Never repeated, neither after a failure nor after a pause that the PBX asks for: its result isn't essential. */
	isOptional?: boolean;
	/** Sent at most once, whatever the response, even a rejected token: it might already have rung a phone. */
	isOnce?: boolean;
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

/**
 * Sends a request in an account, by default the login's own, with retries (docs/internals/reliability.md), and returns
 * the JSON of its response. Throws PbxError.
 */
export async function sendRequest(
	connection: Connection,
	request: PbxRequest,
	accountId?: string,
): Promise<unknown> {
	const { method, evenWhenCancelled } = request;
	let mayBeDone = false;
	for (let tries = 1; ; tries++) {
		try {
			return await sendJson(connection, request, accountId);
		} catch (thrown) {
			const error = errorOfThrown(thrown, connection.host);
			// A repeated DELETE found nothing: the first one worked, only its response was lost.
			if (mayBeDone && method === 'DELETE' && error.status === 404) return {};
			mayBeDone ||= error.mayHaveActed;
			const delay =
				request.isOptional || request.isOnce ? undefined : retryDelay(error, method, tries);
			if (delay === undefined) throw error.inRequest(request);
			await pause(delay, signalOf(connection, evenWhenCancelled));
			if (whyStopped(connection, evenWhenCancelled)) throw error.inRequest(request);
		}
	}
}

/** Segments that would change the path even when encoded. */
const DOTS = /^\.{0,2}$/;

/** Sends a request and reads the JSON of its response. Renews the token if necessary, but doesn't retry. */
async function sendJson(
	connection: Connection,
	request: PbxRequest,
	accountId: string | undefined,
): Promise<unknown> {
	const unfit = [accountId || 'own', ...request.path].find((id) => DOTS.test(id));
	if (unfit !== undefined)
		throw new PbxError({ kind: 'unsent', reason: `The ID "${unfit}" can't be used` });
	const { evenWhenCancelled, isList } = request;
	const sent = requestOf(request, accountId);
	if (request.isOnce) {
		const data = { ...connection.data };
		return await sendOnce(connection, { request: sent, data, evenWhenCancelled }, isList);
	}
	return await withToken(
		connection,
		kindOf(request, accountId),
		async (data) => await sendOnce(connection, { request: sent, data, evenWhenCancelled }, isList),
	);
}

/** Groups requests for which a user has the same rights at the PBX: some users can list what they can't open. */
function kindOf({ method, path }: PbxRequest, accountId = ''): string {
	const what = path.length > 1 ? `one of ${path[0]}` : path[0];
	return `${method === 'GET' ? 'read' : 'change'} ${what} ${accountId}`;
}

/** Sends one request, reads its full response, and checks it. Throws PbxError. */
export async function sendOnce(
	connection: Connection,
	sending: Sending,
	isList: IsList | undefined,
): Promise<unknown> {
	const response = await open(connection, sending);
	const { statusCode } = response;
	const sent = sending.data ?? connection.data;
	// Masks secrets only in errors: data stays as it is.
	const cleaned = (body: unknown) => ({
		...response,
		body: blankSecrets(body, knownSecrets(sent, body)),
	});
	try {
		if (statusCode < 200 || statusCode > 299)
			throw errorOfResponse(cleaned(await readErrorBody(response)));
		const body = await readJson(response).catch((error: unknown) => {
			if (error instanceof PbxError) throw error;
			throw (
				whyStopped(connection, sending.evenWhenCancelled) ?? errorOfBody(error, connection.host)
			);
		});
		const isError = errorOfContent({ ...response, body }, isList) !== undefined;
		const error = isError ? errorOfContent(cleaned(body), isList) : undefined;
		if (error) throw error;
		return body;
	} finally {
		discard(response);
	}
}
