import type {
	ICredentialsDecrypted,
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INode,
	IPollFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { Answer, Failure } from './failure';
import { failureOfError } from './failure';
import type { Budget } from './limits';
import type { Patience } from './patience';
import { discard, tie } from './stream';

/** The n8n contexts from which a PBX can be reached. */
export type PbxContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| ITriggerFunctions
	| IWebhookFunctions;

/** The signal that fires when the user cancels the execution; undefined where n8n gives none. */
export function cancelSignal(context: PbxContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

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
	/** The answer must hold a list; with `orNothing`, one that holds nothing at all is an empty list. */
	isList?: boolean | 'orNothing';
	/** Addresses outside the account, as §4.2 note 2 has one. */
	outsideAccount?: boolean;
	/** Sent although the user stopped the execution: to undo what would stay half done. */
	evenWhenCancelled?: boolean;
	/** How long the PBX may be silent in one try, where someone waits for it; as `SILENCE` says by default. */
	timeoutMs?: number;
}

/** n8n's name of the credential type. */
export const CREDENTIAL = 'virtualPbxApi';

/** What all requests of one execution share. */
export interface Door {
	context: PbxContext;
	node: INode;
	/** Decrypted once. */
	credentialsDecrypted: ICredentialsDecrypted;
	/** The host and port of the PBX, for messages. */
	host: string;
	signal: AbortSignal | undefined;
	/** How long all of them may take together; undefined where nobody waits. */
	budget: Budget | undefined;
}

/** An answer whose body is a stream; or why there is none. */
export type Opened = { answer: Answer } | { failure: Failure };

/** One request as n8n's helper takes it. */
export interface Sending {
	options: IHttpRequestOptions;
	/** Sends the token of this credential; undefined sends none. */
	credential: ICredentialsDecrypted | undefined;
	patience: Patience;
	host: string;
	/** Sent although the user stopped the execution. */
	evenWhenCancelled?: boolean | undefined;
}

/** With a reason of its own, ending a request makes no error with a stack. */
const CLOSED = 'closed';

const CANCELLED: Failure = {
	kind: 'cancelled',
	words: 'The execution was canceled',
	hint: '',
};

/**
 * Sends a request by n8n's helper and waits for the answer to begin: as long as there is patience, and until the user
 * stops the execution. Whatever ends the waiting ends the request, too; where it waits for a login it is not sent any more.
 *
 * @returns the answer with its status, its body a stream, whatever the status is
 */
export async function open(door: Door, sending: Sending): Promise<Opened> {
	const { patience, host } = sending;
	const signal = sending.evenWhenCancelled ? undefined : door.signal;
	if (signal?.aborted) return { failure: CANCELLED };
	const aborter = new AbortController();
	let giveUp: (failure: Failure) => void = () => undefined;
	const givenUp = new Promise<Opened>((resolve) => {
		giveUp = (failure) => {
			resolve({ failure });
			aborter.abort();
		};
	});
	const cancel = () => giveUp(CANCELLED);
	const close = () => {
		signal?.removeEventListener('abort', cancel);
		aborter.abort(CLOSED);
	};
	signal?.addEventListener('abort', cancel, { once: true });
	const end = patience.forAnswer(giveUp);
	const answered = send(door, sending, aborter.signal).then(
		(answer) => {
			tie(answer.body, close);
			return { answer };
		},
		(error: unknown) => {
			close();
			return { failure: failureOfError(error, host) };
		},
	);
	const result = await Promise.race([answered, givenUp]);
	end();
	if ('failure' in result) void answered.then(discardLate);
	return result;
}

function discardLate(late: Opened): void {
	if ('answer' in late) discard(late.answer.body);
}

async function send(door: Door, sending: Sending, abortSignal: AbortSignal): Promise<Answer> {
	const { helpers, logger } = door.context;
	const options: IHttpRequestOptions = {
		...sending.options,
		encoding: 'stream',
		returnFullResponse: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		abortSignal,
	};
	if (!sending.credential) return (await helpers.httpRequest(options)) as Answer;
	// n8n puts the execution's signal in place of ours where the context has one.
	const context = { helpers, logger, getNode: () => door.node } as PbxContext;
	return (await helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, options, {
		credentialsDecrypted: sending.credential,
	})) as Answer;
}
