import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { PbxError } from '../errors/pbxError';
import type { IsList } from '../errors/responseErrors';
import { cancelled, errorOfThrown, outOfTime } from '../errors/thrownErrors';
import { blankSecrets } from '../redact';
import { openToken, readCredential, secretsOf } from '../session/credential';
import { assertMayLogIn, forgetLogin, mayRenew, noteRenewal, noteServed } from '../session/login';
import type { OpenAnswer } from './body';
import { guard } from './body';
import { TIMEOUTS, unlessAborted } from './timeouts';

/** What a request needs of n8n; all of its contexts have it. */
export type PbxContext = Pick<IExecuteFunctions, 'getCredentials' | 'getNode' | 'logger'> & {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'httpRequestWithAuthentication'>;
	/** Aborts when a person stops the execution, where there is one. */
	getExecutionCancelSignal?(): AbortSignal | undefined;
};

/** n8n's name of the credential type. */
export const CREDENTIAL = 'virtualPbxApi';

/** One request, as operations describe it. */
export interface PbxRequest {
	method: IHttpRequestMethods;
	/** Path segments below the account; each is encoded. */
	path: readonly string[];
	/** The account to work in; that of `openPbx`, or the login's own, by default. */
	accountId?: string | undefined;
	query?: IDataObject | undefined;
	/** The payload; it is wrapped into `{ data }` here (§1). */
	data?: IDataObject | undefined;
	/** The answer must hold a list. */
	isList?: IsList;
	/** Addresses outside the account, as §4.2 note 2 has one. */
	outsideAccount?: boolean;
	/** Sent although it was cancelled: to undo what would stay half done. */
	evenWhenCancelled?: boolean | undefined;
	/** Not repeated after a failure, nor after a pause that the PBX asks for: what it gives can be done without. */
	isOptional?: boolean;
}

/** A request as n8n's helper takes it, but for its signal and times. */
export function optionsOf(request: PbxRequest, accountId: string | undefined): IHttpRequestOptions {
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
		...(request.query ? { qs: request.query } : {}),
		...(hasBody ? { body: { data: request.data } } : {}),
	};
}

/** What all requests of one execution share. */
export interface Client {
	context: PbxContext;
	accountId: string | undefined;
	/** Decrypted once; replaced when there is a newer token. */
	data: ICredentialDataDecryptedObject;
	/** The host and port of the PBX, for messages. */
	host: string;
	/** Aborts when a person or n8n cancels. */
	cancel: AbortSignal;
	/** Aborts when the time for all requests is over. */
	deadline: AbortSignal;
}

/** One request as n8n's helper takes it. */
export interface Sending {
	options: IHttpRequestOptions;
	/** Sends the token of this credential; undefined sends none. */
	data: ICredentialDataDecryptedObject | undefined;
	evenWhenCancelled?: boolean | undefined;
}

/**
 * Sends one request and waits for the response to begin, whatever its status; signals end the waiting, a login, and
 * afterwards the body. Throws PbxError where there is no response.
 */
export async function open(client: Client, sending: Sending): Promise<OpenAnswer> {
	const { options, evenWhenCancelled } = sending;
	const ended = whyStopped(client, evenWhenCancelled);
	if (ended) throw new PbxError({ ...ended.details, notSent: true });
	const ending = new AbortController();
	const signal = AbortSignal.any([ending.signal, signalOf(client, evenWhenCancelled)]);
	// With a reason of its own, ending a request makes no error with a stack.
	const close = () => ending.abort('closed');
	try {
		const answer = await unlessAborted(signal, async () => await send(client, sending, signal));
		return { ...answer, close };
	} catch (error) {
		close();
		const host = hostOf(options.url, client.host);
		throw whyStopped(client, evenWhenCancelled) ?? errorOfThrown(error, host);
	}
}

async function send(
	{ context }: Client,
	{ options, data }: Sending,
	abortSignal: AbortSignal,
): Promise<Omit<OpenAnswer, 'close'>> {
	const { helpers, logger } = context;
	const full: IHttpRequestOptions = {
		...options,
		encoding: 'stream',
		returnFullResponse: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		timeout: TIMEOUTS.answer,
		abortSignal,
	};
	if (data) assertMaySend(data);
	// n8n puts the execution's signal in place of ours where the context has one.
	const bare = { helpers, logger, getNode: () => context.getNode() } as IExecuteFunctions;
	const answer = (
		data
			? await helpers.httpRequestWithAuthentication.call(bare, CREDENTIAL, full, {
					credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data },
				})
			: await helpers.httpRequest(full)
	) as Omit<OpenAnswer, 'close'>;
	guard(answer.body);
	return answer;
}

/** Throws LoginRejected where n8n would have to log in, and may not. */
function assertMaySend(data: ICredentialDataDecryptedObject): void {
	const credential = readCredential(data);
	if (openToken(credential) === undefined) assertMayLogIn(credential);
}

/** The host and port of an address, for messages. */
export function hostOf(address: string, otherwise = 'the PBX'): string {
	return URL.canParse(address) ? new URL(address).host : otherwise;
}

/** The signal that ends a request. */
export function signalOf({ cancel, deadline }: Client, evenWhenCancelled = false): AbortSignal {
	return evenWhenCancelled ? deadline : AbortSignal.any([cancel, deadline]);
}

/** Why a client sends nothing any more; undefined while it may. */
export function whyStopped(
	{ cancel, deadline }: Client,
	evenWhenCancelled = false,
): PbxError | undefined {
	if (cancel.aborted && !evenWhenCancelled) return cancelled();
	return deadline.aborted ? outOfTime() : undefined;
}

/**
 * Sends a request, and again where the PBX refuses its token with 401 (§5: the lifetime is not shown): with a newer token
 * that is stored by now, then after a login, unless that did not help requests of the same `kind` lately. Each sending has
 * a copy of the credential: n8n writes a new token into it.
 */
export async function withToken<T>(
	client: Client,
	kind: string,
	send: (data: ICredentialDataDecryptedObject) => Promise<T>,
): Promise<T> {
	const sendWith = async (data: ICredentialDataDecryptedObject) => {
		const before = data.authToken;
		try {
			const result = await send(data);
			noteServed(readCredential(data));
			return { data, result };
		} catch (error) {
			return { data, rejection: rejectionIn(error) };
		} finally {
			if (data.authToken !== before) client.data = { ...data };
		}
	};
	const startedAt = Date.now();
	let sent = await sendWith({ ...client.data });
	if (sent.rejection && (await hasNewerToken(client, sent.data)))
		sent = await sendWith({ ...client.data });
	if (!sent.rejection) return sent.result;
	if (!mayRenew(readCredential(sent.data), kind)) throw sent.rejection;
	forgetLogin(readCredential(sent.data), startedAt, kind);
	const renewed = await sendWith({ ...client.data, authToken: '' });
	noteRenewal(readCredential(renewed.data), kind, !renewed.rejection);
	if (renewed.rejection) throw renewed.rejection;
	return renewed.result;
}

/** Returns the error of a rejected token; throws any other. */
function rejectionIn(error: unknown): PbxError {
	if (error instanceof PbxError && error.status === 401) return error;
	throw error;
}

/** Takes a newer token than the rejected one, if another request, execution, or process has got one. */
async function hasNewerToken(
	client: Client,
	{ authToken: refused }: ICredentialDataDecryptedObject,
): Promise<boolean> {
	if (client.data.authToken === refused)
		client.data = await client.context.getCredentials(CREDENTIAL);
	return client.data.authToken !== refused;
}

/** The secrets of a credential, and of an answer that may repeat them. */
export function knownSecrets(data: ICredentialDataDecryptedObject, answer: unknown): string[] {
	return secretsOf(readCredential(data), answer);
}

/** Masks the secrets of a credential in an error answer of the PBX. */
export function withoutSecrets<T>(value: T, data: ICredentialDataDecryptedObject): T {
	return blankSecrets(value, knownSecrets(data, value));
}
