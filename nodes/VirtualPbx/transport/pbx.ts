import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	INode,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { countryOf, platformOf, readCredential } from '../auth/credential';
import { whoAmI } from '../auth/exchange';
import type { Login } from '../auth/login';
import { fingerprint } from '../auth/token';
import type { FileOutcome, FileRequest, TakeFile } from './download';
import { fetchFile } from './download';
import { errorOf } from './errors';
import type { Failure } from './failure';
import { failureOfError } from './failure';
import type { JsonResult } from './json';
import { sendJson } from './json';
import type { Budget } from './limits';
import { timeLeft } from './limits';
import { knownOutage, NOT_BEGUN, noteReach, Patience } from './patience';
import type { Door, PbxContext, PbxRequest } from './request';
import { cancelSignal, CREDENTIAL } from './request';
import { isRepeatable, pause, retryDelay } from './retry';
import { senderOf } from './sender';
import { withoutKnownSecrets } from './tokens';

/** What a request gave, instead of throwing. */
export type Attempt =
	| { ok: true; body: unknown }
	| { ok: false; failure: Failure; error: NodeApiError | NodeOperationError };

/** The one door to the PBX; made once per execution. */
export interface Pbx {
	/** Sends a request and gives the whole JSON answer; throws the error that n8n shows. */
	send(request: PbxRequest): Promise<unknown>;
	/** The same without throwing, for those who decide by the failure's kind. */
	attempt(request: PbxRequest): Promise<Attempt>;
	/** Downloads a file of the PBX, such as a recording, as a stream; see `fetchFile`. */
	fetchFile<T>(request: FileRequest, take: TakeFile<T>): Promise<FileOutcome<T>>;
	/** Tells who the credential belongs to; at most one login, shared by all callers. */
	login(): Promise<Login>;
	/** Blanks the password and the tokens of the credential in data that may repeat them, such as a log. */
	withoutSecrets<T>(data: T): T;
	/** The platform's name, which is that of its own pivot format, too (§2.2). */
	platform: string;
	/** The country of the credential, in whose form numbers come; undefined to keep them as they are. */
	country: string | undefined;
	node: INode;
	signal: AbortSignal | undefined;
}

/**
 * Opens the PBX for one execution: the credential is decrypted once, and every request shares it and its token.
 * Requests are retried as docs/reliability.md says; a token that ran out is renewed by n8n, once per request.
 *
 * @param budget how long all requests may take together, where n8n or a person waits for them
 * @throws NodeOperationError when the node has no credential
 */
export async function openPbx(context: PbxContext, budget?: Budget): Promise<Pbx> {
	const data = await context.getCredentials(CREDENTIAL);
	const node = context.getNode();
	const reference = node.credentials?.[CREDENTIAL];
	const credentialsDecrypted: ICredentialsDecrypted = {
		id: reference?.id ?? '',
		name: reference?.name ?? '',
		type: CREDENTIAL,
		data,
	};
	const signal = cancelSignal(context);
	const door: Door = { context, node, credentialsDecrypted, host: hostOf(data), signal, budget };
	const attempt = async (request: PbxRequest) => await attemptRequest(door, request);
	let login: Promise<Login> | undefined;
	return {
		attempt,
		fetchFile: async (request, take) => await fetchFile(door, request, take),
		login: async () => await (login ??= logInOnce(door)),
		platform: platformOf(data),
		country: countryOf(data),
		withoutSecrets: (value) => withoutKnownSecrets(door, value),
		send: async (request) => {
			const outcome = await attempt(request);
			if (!outcome.ok) throw outcome.error;
			return outcome.body;
		},
		node,
		signal: door.signal,
	};
}

function hostOf(data: ICredentialDataDecryptedObject): string {
	try {
		return new URL(readCredential(data).baseUrl).host;
	} catch {
		return 'the PBX';
	}
}

async function logInOnce(door: Door): Promise<Login> {
	try {
		const credential = readCredential(door.credentialsDecrypted.data ?? {});
		return await whoAmI(senderOf(door.context.helpers.httpRequest), credential);
	} catch (error) {
		const line = { method: 'PUT', path: ['user_auth'] };
		throw errorOf(door.node, failureOfError(error, door.host), line);
	}
}

async function attemptRequest(door: Door, request: PbxRequest): Promise<Attempt> {
	const key = door.budget?.sharesOutages ? pbxKey(door) : undefined;
	const outage = key === undefined ? undefined : knownOutage(key);
	const result = outage ? { failure: outage } : await sendWithRetries(door, request);
	const failure = 'failure' in result ? result.failure : undefined;
	if (key !== undefined && !outage && failure !== NOT_BEGUN) noteReach(key, failure);
	if (!('failure' in result)) return { ok: true, body: result.body };
	const line = { ...request, isMessageAlone: 'getActivationMode' in door.context };
	const error = errorOf(door.node, result.failure, line, request.itemIndex);
	return { ok: false, failure: result.failure, error };
}

async function sendWithRetries(door: Door, request: PbxRequest): Promise<JsonResult> {
	const isRepeated = isRepeatable(request.method);
	const patience = new Patience(door.host, door.budget, request.timeoutMs, isRepeated);
	let mayHaveArrived = false;
	for (let attempt = 1; ; attempt++) {
		const result = await sendJson(door, request, patience);
		if (!('failure' in result)) return result;
		if (mayHaveArrived && isGone(request, result.failure)) return { body: {} };

		mayHaveArrived ||= isDoubtful(result.failure);
		const isOver = patience.isOver || (door.signal?.aborted ?? false);
		const delay = isOver ? undefined : retryDelay(result.failure, request.method, attempt);
		if (delay === undefined || delay >= timeLeft(door.budget)) return result;
		await pause(delay, door.signal);
	}
}

function pbxKey(door: Door): string {
	try {
		return fingerprint(readCredential(door.credentialsDecrypted.data ?? {}));
	} catch {
		return '';
	}
}

/** No answer, or one of a proxy, that leaves open whether the PBX has acted. */
function isDoubtful({ kind, notSent, status = 0 }: Failure): boolean {
	return kind === 'network' ? !notSent : status >= 500;
}

/** A repeated DELETE that finds nothing: the first one worked, only its answer was lost. */
function isGone(request: PbxRequest, failure: Failure): boolean {
	return request.method === 'DELETE' && failure.status === 404;
}
