import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	INode,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import type { Failure, IsList } from './errors/failure';
import {
	failureOfAnswer,
	failureOfBody,
	failureOfContent,
	failureOfError,
	failureOfGarbage,
	mayHaveActed,
	retryDelay,
} from './errors/failure';
import { errorOf, headlineOf } from './errors/nodeError';
import { discard, readJson, readErrorBody } from './http/body';
import type { FileRequest, FileResult, TakeFile } from './http/download';
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
import { pause, TIMEOUTS, unlessAborted } from './http/timeouts';
import { withoutSecrets as maskLog } from './redact';
import { countryOf, loginIdOf, PbxRefusal, platformOf, readCredential } from './session/credential';
import type { HttpRequest, Login } from './session/login';
import { assertMayLogIn, exchangeToken, forgetLogin } from './session/login';

/** What a request gave, instead of throwing. */
export type Result =
	| { ok: true; body: unknown }
	| { ok: false; failure: Failure; error: NodeApiError | NodeOperationError };

/** The JSON of an answer that is a success, or why there is none. */
type JsonResult = { body: unknown } | { failure: Failure };

/** The PBX for one execution; all of its requests go this way. */
export interface Pbx {
	/** Sends a request and gives the whole JSON answer; throws the error that n8n shows. */
	send(request: PbxRequest): Promise<unknown>;
	/** The same without throwing, for those who decide by the failure's kind. */
	trySend(request: PbxRequest): Promise<Result>;
	/** Downloads a file of the PBX, such as a recording, as a stream; see `fetchFile`. */
	fetchFile<T>(request: FileRequest, take: TakeFile<T>): Promise<FileResult<T>>;
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
	node: INode;
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
	const trySend = async (request: PbxRequest) => await sendOrFail(client, request);
	let login: Promise<Login> | undefined;
	return {
		trySend,
		send: async (request) => {
			const result = await trySend(request);
			if (!result.ok) throw result.error;
			return result.body;
		},
		fetchFile: async (request, take) => await fetchFile(client, request, take),
		login: async () => await (login ??= logInOnce(client)),
		withoutSecrets: (value) => maskLog(value, knownSecrets(client.data, value)),
		loginId: loginIdOf(data),
		platform: platformOf(data),
		country: countryOf(data),
		node: context.getNode(),
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
		const failure = whyStopped(client) ?? failureOfError(error, client.host);
		throw errorOf(client.context.getNode(), failure, { method: 'PUT', path: ['user_auth'] });
	}
}

async function sendOrFail(client: Client, request: PbxRequest): Promise<Result> {
	const result = await sendWithRetries(client, request);
	if (!('failure' in result)) return { ok: true, body: result.body };
	const line = { ...request, isMessageAlone: 'getActivationMode' in client.context };
	const error = errorOf(client.context.getNode(), result.failure, line, request.itemIndex);
	return { ok: false, failure: result.failure, error };
}

async function sendWithRetries(client: Client, request: PbxRequest): Promise<JsonResult> {
	let mayBeDone = false;
	for (let tries = 1; ; tries++) {
		const result = await sendJson(client, request);
		if (!('failure' in result)) return result;
		// A repeated DELETE that finds nothing: the first one worked, only its answer was lost.
		const isGone = request.method === 'DELETE' && result.failure.status === 404;
		if (mayBeDone && isGone) return { body: {} };

		mayBeDone ||= mayHaveActed(result.failure);
		const delay = retryDelay(result.failure, request.method, tries);
		if (delay === undefined || request.isOptional) return result;
		await pause(delay, signalOf(client, request.evenWhenCancelled));
		if (whyStopped(client, request.evenWhenCancelled)) return result;
	}
}

/** Segments that would change the path: encoding does not protect them. */
const DOTS = /^\.{0,2}$/;

/** Sends a request with JSON and reads the answer, with a new token where need be, but without any other repetition. */
async function sendJson(client: Client, request: PbxRequest): Promise<JsonResult> {
	const accountId = request.accountId || client.accountId;
	const unfit = [accountId || 'own', ...request.path].find((id) => DOTS.test(id));
	if (unfit !== undefined) {
		return { failure: { kind: 'refused', message: `The ID "${unfit}" cannot be used`, hint: '' } };
	}
	const { evenWhenCancelled, isList } = request;
	const options = optionsOf(request, accountId);
	try {
		return await withToken(
			client,
			kindOf(request, accountId),
			async (data) => await sendOnce(client, { options, data, evenWhenCancelled }, isList),
		);
	} catch (error) {
		return { failure: failureOfError(error, client.host) };
	}
}

/** Requests for which a user has the same rights at the PBX. */
function kindOf({ method, path }: PbxRequest, accountId = ''): string {
	return `${method === 'GET' ? 'read' : 'change'} ${accountId} ${path[0] ?? ''}`;
}

/** Sends one request, reads its answer to the end, and judges it. */
async function sendOnce(
	client: Client,
	sending: Sending,
	isList: IsList | undefined,
): Promise<JsonResult> {
	const opened = await open(client, sending);
	if ('failure' in opened) return opened;
	const { answer } = opened;
	const sent = sending.data ?? client.data;
	// Only words are cleaned, and only where they are shown: data stays as it is.
	const cleaned = (body: unknown) => ({ ...answer, body: withoutSecrets(body, sent) });
	try {
		if (answer.statusCode < 200 || answer.statusCode > 299) {
			return { failure: failureOfAnswer(cleaned(await readErrorBody(answer))) };
		}
		const outcome = await readJson(answer);
		if ('error' in outcome) {
			const ended = whyStopped(client, sending.evenWhenCancelled);
			return { failure: ended ?? failureOfBody(outcome.error, client.host) };
		}
		if ('beginning' in outcome) return { failure: failureOfGarbage(outcome.beginning) };
		const { body } = outcome;
		if (!failureOfContent({ ...answer, body }, isList)) return { body };
		const failure = failureOfContent(cleaned(body), isList);
		return failure ? { failure } : { body };
	} finally {
		discard(answer);
	}
}

/**
 * Lists the callflows for the credential's test and judges the answer: n8n would show a bare status or error code, and
 * take any page with status 200 for a success. Throws PbxRefusal in the user's words; for a refused token what looks
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
	const result = await sendOnce(client, { options, data: undefined }, true);
	if (!('failure' in result)) return;

	const { failure } = result;
	const headline = headlineOf(failure, { method: 'GET', path: ['callflows'] });
	const status = failure.kind === 'status' ? ` (${failure.status})` : '';
	const said = failure.says === undefined ? '' : ` It says: "${failure.says}".`;
	const words = `The login works, but not the request after it. ${headline}${status}.${said} ${failure.hint}`;
	if (failure.status !== 401) throw new PbxRefusal(words);
	forgetLogin(readCredential(data));
	throw Object.assign(new Error(words), { response: { status: 401, statusText: words } });
}
