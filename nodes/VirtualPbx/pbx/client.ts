import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { headlineOf } from './errors/headline';
import { AuthError, PbxError } from './errors/pbxError';
import type { IsList } from './errors/responseErrors';
import { errorOfContent, errorOfResponse } from './errors/responseErrors';
import { errorOfBody, errorOfThrown } from './errors/thrownErrors';
import { discard, readJson, readErrorBody } from './http/body';
import type { FileRequest, TakeFile } from './http/download';
import { fetchFile } from './http/download';
import type { Client, PbxContext, PbxRequest, Sending } from './http/request';
import {
	CREDENTIAL,
	hostOf,
	knownSecrets,
	open,
	optionsOf,
	signalOf,
	whyStopped,
	withoutSecrets,
	withToken,
} from './http/request';
import { retryDelay } from './http/retry';
import { pause, TIMEOUTS, unlessAborted } from './http/timeouts';
import { withoutSecrets as maskLog } from './redact';
import { countryOf, loginIdOf, platformOf, readCredential } from './session/credential';
import type { HttpRequest, Login } from './session/login';
import { assertMayLogIn, exchangeToken, forgetLogin } from './session/login';

/** The PBX for one execution; all of its requests go this way. */
export interface Pbx {
	/** Sends a request and returns the whole JSON of its response. Throws PbxError. */
	send(request: PbxRequest): Promise<unknown>;
	/** Downloads a file of the PBX, such as a recording, as a stream; see `fetchFile`. */
	fetchFile<T>(request: FileRequest, take: TakeFile<T>): Promise<T>;
	/** Tells who the credential belongs to; at most one login, shared by all callers. */
	login(): Promise<Login>;
	/** Masks the password, tokens, and whatever else is a secret in a log of the PBX, which may repeat them. */
	withoutSecrets<T>(data: T): T;
	/** Identifies the account and user that the credential logs in as, whatever the password. */
	loginId: string;
	/** The platform's name, which is that of its own pivot format, too (§2.2). */
	platform: string;
	/** The country of the credential, in whose form numbers come; undefined to keep them as they are. */
	country: string | undefined;
	/** Aborts when a person or n8n cancels. */
	signal: AbortSignal;
}

/** How all requests of a `Pbx` work. */
export interface PbxOptions {
	/** The account to work in; the login's own by default. */
	accountId?: string | undefined;
	/** Ends every request, login included, also those that are sent `evenWhenCancelled`. */
	deadline?: AbortSignal | undefined;
	/** Cancels requests, as n8n does when a person stops the execution. */
	signal?: AbortSignal | undefined;
}

/**
 * Opens the PBX for one execution: the credential is decrypted once, and every request shares it and its token. Requests
 * are retried as docs/internals/reliability.md says. Throws NodeOperationError when the node has no credential.
 */
export async function openPbx(context: PbxContext, options: PbxOptions = {}): Promise<Pbx> {
	const client = clientOf(context, await context.getCredentials(CREDENTIAL), options);
	const { data } = client;
	let login: Promise<Login> | undefined;
	return {
		send: async (request) => await sendWithRetries(client, request),
		fetchFile: async (request, take) => await fetchFile(client, request, take),
		login: async () => await (login ??= logInOnce(client)),
		withoutSecrets: (value) => maskLog(value, knownSecrets(client.data, value)),
		loginId: loginIdOf(data),
		platform: platformOf(data),
		country: countryOf(data),
		signal: client.cancel,
	};
}

function clientOf(
	context: PbxContext,
	data: ICredentialDataDecryptedObject,
	{ accountId, deadline = AbortSignal.any([]), signal }: PbxOptions,
): Client {
	const cancels = [context.getExecutionCancelSignal?.(), signal].filter((one) => one !== undefined);
	return {
		context,
		accountId,
		data,
		host: hostOf(String(data.baseUrl).trim()),
		cancel: AbortSignal.any(cancels),
		deadline,
	};
}

/** From the login of the last minute, otherwise by one of its own: n8n keeps nothing of the answer but token and account. */
async function logInOnce(client: Client): Promise<Login> {
	try {
		const credential = { ...readCredential(client.data), authToken: '' };
		const { httpRequest } = client.context.helpers;
		const login = async () => {
			assertMayLogIn(credential);
			return await exchangeToken(httpRequest, credential);
		};
		return await unlessAborted(signalOf(client), login);
	} catch (error) {
		const cause = whyStopped(client) ?? errorOfThrown(error, client.host);
		throw cause.inRequest({ method: 'PUT', path: ['user_auth'] });
	}
}

async function sendWithRetries(client: Client, request: PbxRequest): Promise<unknown> {
	const { method, evenWhenCancelled } = request;
	let mayBeDone = false;
	for (let tries = 1; ; tries++) {
		try {
			return await sendJson(client, request);
		} catch (thrown) {
			const error = errorOfThrown(thrown, client.host);
			// A repeated DELETE that finds nothing: the first one worked, only its response was lost.
			if (mayBeDone && method === 'DELETE' && error.status === 404) return {};
			mayBeDone ||= error.mayHaveActed;
			const delay = request.isOptional ? undefined : retryDelay(error, method, tries);
			if (delay === undefined) throw error.inRequest(request);
			await pause(delay, signalOf(client, evenWhenCancelled));
			if (whyStopped(client, evenWhenCancelled)) throw error.inRequest(request);
		}
	}
}

/** Segments that would change the path: encoding does not protect them. */
const DOTS = /^\.{0,2}$/;

/** Sends a request and reads the JSON of its response, with a new token where need be, but without any other repetition. */
async function sendJson(client: Client, request: PbxRequest): Promise<unknown> {
	const accountId = request.accountId || client.accountId;
	const unfit = [accountId || 'own', ...request.path].find((id) => DOTS.test(id));
	if (unfit !== undefined)
		throw new PbxError({ kind: 'refused', reason: `The ID "${unfit}" cannot be used` });
	const { evenWhenCancelled, isList } = request;
	const options = optionsOf(request, accountId);
	return await withToken(
		client,
		kindOf(request, accountId),
		async (data) => await sendOnce(client, { options, data, evenWhenCancelled }, isList),
	);
}

/** Requests for which a user has the same rights at the PBX. */
function kindOf({ method, path }: PbxRequest, accountId = ''): string {
	return `${method === 'GET' ? 'read' : 'change'} ${accountId} ${path[0] ?? ''}`;
}

/** Sends one request, reads its response to the end, and judges it. Throws PbxError. */
async function sendOnce(
	client: Client,
	sending: Sending,
	isList: IsList | undefined,
): Promise<unknown> {
	const response = await open(client, sending);
	const { statusCode } = response;
	const sent = sending.data ?? client.data;
	// Only words are cleaned, and only where they are shown: data stays as it is.
	const cleaned = (body: unknown) => ({ ...response, body: withoutSecrets(body, sent) });
	try {
		if (statusCode < 200 || statusCode > 299)
			throw errorOfResponse(cleaned(await readErrorBody(response)));
		const body = await readJson(response).catch((error: unknown) => {
			if (error instanceof PbxError) throw error;
			throw whyStopped(client, sending.evenWhenCancelled) ?? errorOfBody(error, client.host);
		});
		const isError = errorOfContent({ ...response, body }, isList) !== undefined;
		const error = isError ? errorOfContent(cleaned(body), isList) : undefined;
		if (error) throw error;
		return body;
	} finally {
		discard(response);
	}
}

/**
 * Lists the callflows for the credential's test and judges the answer: n8n would show a bare status or error code, and
 * take any page with status 200 for a success. Throws AuthError in the user's words; for a refused token what looks
 * like a 401 answer, on which n8n logs in anew and comes back once.
 */
export async function testLogin(
	httpRequest: HttpRequest,
	options: IHttpRequestOptions,
	data: ICredentialDataDecryptedObject,
): Promise<void> {
	// A credential has no more of n8n than this.
	const context = { helpers: { httpRequest } } as PbxContext;
	const client = clientOf(context, data, { deadline: AbortSignal.timeout(TIMEOUTS.login) });
	try {
		await sendOnce(client, { options, data: undefined }, true);
	} catch (thrown) {
		throw testFailure(errorOfThrown(thrown, client.host), data);
	}
}

function testFailure(
	{ details, kind, status, hint }: PbxError,
	data: ICredentialDataDecryptedObject,
) {
	const headline = headlineOf(details, { method: 'GET', path: ['callflows'] });
	const shown = kind === 'status' ? ` (${status})` : '';
	const said = details.says === undefined ? '' : ` It says: "${details.says}".`;
	const words = `The login works, but not the request after it. ${headline}${shown}.${said} ${hint}`;
	if (status !== 401) return new AuthError(words);
	forgetLogin(readCredential(data));
	return Object.assign(new Error(words), { response: { status: 401, statusText: words } });
}
