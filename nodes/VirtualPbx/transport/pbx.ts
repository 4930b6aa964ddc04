import type {
	ICredentialsDecrypted,
	IDataObject,
	IHttpRequestMethods,
	IHttpRequestOptions,
	INode,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { platformOf, readCredential } from '../auth/credential';
import { whoAmI } from '../auth/exchange';
import type { Login } from '../auth/login';
import { fingerprint } from '../auth/token';
import type { Budget } from './budget';
import { NOT_BEGUN, timeLeft, within } from './budget';
import type { PbxContext } from './context';
import { cancelSignal } from './context';
import { CREDENTIAL } from './door';
import type { Door } from './door';
import { fetchFile } from './download';
import type { FileOutcome, FileRequest, TakeFile } from './download';
import { errorOf } from './errors';
import { failureOfAnswer, failureOfContent, failureOfError, failureOfGarbage } from './failure';
import type { Answer, Failure } from './failure';
import { REQUEST_TIMEOUT_MS } from './limits';
import { knownOutage, noteReach } from './outages';
import { pause } from './pause';
import { retryDelay } from './retry';
import { readLongJson, readWords } from './stream';

/** One request, as operations describe it. */
export interface PbxRequest {
	method: IHttpRequestMethods;
	/** Path segments below the account; each is encoded. */
	path: readonly string[];
	/** The account to act in; the login's own by default. */
	accountId?: string | undefined;
	query?: IDataObject | undefined;
	/** The payload; it is wrapped into `{ data }` here (§1). */
	data?: IDataObject | undefined;
	/** The item that the request is made for, for error messages. */
	itemIndex?: number | undefined;
	/** The answer may be very long: it is parsed while it comes in. */
	isLong?: boolean | undefined;
	/** The answer must hold a list. */
	isList?: boolean;
	/** Addresses outside the account, as §4.2 note 2 has one. */
	outsideAccount?: boolean;
	/** Sent although the user stopped the execution: to undo what would stay half done. */
	evenWhenCancelled?: boolean;
	/** How long one try may take, where someone waits for it; REQUEST_TIMEOUT_MS by default. */
	timeoutMs?: number;
}

/** What a request gave, instead of throwing. */
export type Outcome =
	| { ok: true; body: unknown }
	| { ok: false; failure: Failure; error: NodeApiError | NodeOperationError };

/** The one door to the PBX; made once per execution. */
export interface Pbx {
	/** Sends a request and gives the whole JSON answer; throws the error that n8n shows. */
	send(request: PbxRequest): Promise<unknown>;
	/** The same without throwing, for those who decide by the failure's kind. */
	attempt(request: PbxRequest): Promise<Outcome>;
	/** Downloads a file of the PBX, such as a recording, as a stream; see `fetchFile`. */
	fetchFile<T>(request: FileRequest, take: TakeFile<T>): Promise<FileOutcome<T>>;
	/** Tells who the credential belongs to; at most one login, shared by all callers. */
	login(): Promise<Login>;
	/** The platform's name, which is that of its own pivot format, too (§2.2). */
	platform: string;
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
	const door: Door = { context, node, credentialsDecrypted, signal, budget };
	const attempt = async (request: PbxRequest) => await attemptRequest(door, request);
	let login: Promise<Login> | undefined;
	return {
		attempt,
		fetchFile: async (request, take) => await fetchFile(door, request, take),
		login: async () => await (login ??= logInOnce(door)),
		platform: platformOf(data),
		send: async (request) => {
			const outcome = await attempt(request);
			if (!outcome.ok) throw outcome.error;
			return outcome.body;
		},
		node,
		signal: door.signal,
	};
}

async function logInOnce(door: Door): Promise<Login> {
	try {
		const credential = readCredential(door.credentialsDecrypted.data ?? {});
		return await whoAmI(door.context.helpers.httpRequest, credential);
	} catch (error) {
		const line = { method: 'PUT', path: '/user_auth' };
		throw errorOf(door.node, failureOfError(error, hostOf(door)), line);
	}
}

async function attemptRequest(door: Door, request: PbxRequest): Promise<Outcome> {
	const key = door.budget?.sharesOutages ? pbxKey(door) : undefined;
	const outage = key === undefined ? undefined : knownOutage(key);
	const result = outage ? { failure: outage } : await sendWithRetries(door, request);
	const failure = 'failure' in result ? result.failure : undefined;
	if (key !== undefined && !outage && failure !== NOT_BEGUN) noteReach(key, failure);
	if (!('failure' in result)) return { ok: true, body: result.body };
	const line = { method: request.method, path: `/${request.path.join('/')}` };
	const error = errorOf(door.node, result.failure, line, request.itemIndex);
	return { ok: false, failure: result.failure, error };
}

type Result = { body: unknown } | { failure: Failure };

async function sendWithRetries(door: Door, request: PbxRequest): Promise<Result> {
	let mayHaveArrived = false;
	for (let attempt = 1; ; attempt++) {
		const result = await within(door.budget, async () => await sendOnce(door, request));
		if (!('failure' in result)) return result;
		if (mayHaveArrived && isGone(request, result.failure)) return { body: {} };

		mayHaveArrived ||= isDoubtful(result.failure);
		const delay = door.signal?.aborted
			? undefined
			: retryDelay(result.failure, request.method, attempt);
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

/** Segments that would change the path: encoding does not protect them. */
const DOTS = /^\.{0,2}$/;

async function sendOnce(door: Door, request: PbxRequest): Promise<Result> {
	const unfit = [request.accountId || 'own', ...request.path].find((id) => DOTS.test(id));
	if (unfit !== undefined) {
		return { failure: { kind: 'refused', words: `The ID "${unfit}" cannot be used`, hint: '' } };
	}
	try {
		const answer = (await door.context.helpers.httpRequestWithAuthentication.call(
			request.evenWhenCancelled ? withoutCancelSignal(door.context) : door.context,
			CREDENTIAL,
			optionsOf(request, timeLeft(door.budget)),
			{ credentialsDecrypted: door.credentialsDecrypted },
		)) as Answer;
		if (answer.statusCode < 200 || answer.statusCode > 299) {
			return { failure: failureOfAnswer({ ...answer, body: await readWords(answer.body) }) };
		}
		const read = request.isLong ? await readLong(door, answer) : readShort(answer);
		if ('failure' in read) return read;
		const failure = failureOfContent({ ...answer, body: read.body }, request.isList);
		return failure ? { failure } : read;
	} catch (error) {
		return { failure: failureOfError(error, hostOf(door)) };
	}
}

function readShort(answer: Answer): Result {
	const isText = typeof answer.body === 'string' && answer.body.trim() !== '';
	return isText ? { failure: failureOfGarbage(answer) } : { body: answer.body };
}

/** Reads an answer that is a stream of JSON, whatever its length. */
async function readLong(door: Door, answer: Answer): Promise<Result> {
	const outcome = await readLongJson(answer.body);
	if ('body' in outcome) return outcome;
	if ('error' in outcome) return { failure: failureOfError(outcome.error, hostOf(door)) };
	return { failure: failureOfGarbage({ ...answer, body: outcome.beginning }) };
}

/** n8n ends every request with the execution's signal where the context has one. */
function withoutCancelSignal(context: PbxContext): PbxContext {
	const { helpers, logger } = context;
	return { helpers, logger, getNode: () => context.getNode() } as PbxContext;
}

function optionsOf(request: PbxRequest, leftMs: number): IHttpRequestOptions {
	const account = request.accountId ? encodeURIComponent(request.accountId) : '{account_id}';
	const base = request.outsideAccount ? '/v1/{platform}' : `/v1/{platform}/accounts/${account}`;
	return {
		method: request.method,
		url: [base, ...request.path.map(encodeURIComponent)].join('/'),
		...(request.query ? { qs: request.query } : {}),
		...(request.data
			? { body: { data: request.data }, headers: { 'Content-Type': 'application/json' } }
			: {}),
		...(request.isLong ? { encoding: 'stream' } : { json: true }),
		returnFullResponse: true,
		ignoreHttpStatusErrors: { ignore: true, except: [401] },
		timeout: Math.max(1, Math.min(request.timeoutMs ?? REQUEST_TIMEOUT_MS, leftMs)),
	};
}

function hostOf(door: Door): string {
	try {
		return new URL(readCredential(door.credentialsDecrypted.data ?? {}).baseUrl).host;
	} catch {
		return 'the PBX';
	}
}
