import { PbxError } from '../errors/pbxError';
import { cancelled, errorOfThrown, outOfTime } from '../errors/failures';
import type { CredentialData } from '../session/credential';
import { openToken, readCredential } from '../session/credential';
import { assertMayLogIn } from '../session/login';
import type { OpenResponse } from './body';
import { guard } from './body';
import type { HttpRequest, HttpResponse, Send } from './message';
import { TIMEOUTS, unlessAborted } from './timeouts';

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
