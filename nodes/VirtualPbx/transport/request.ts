import type { ICredentialsDecrypted, IHttpRequestOptions } from 'n8n-workflow';

import { CREDENTIAL } from './door';
import type { Door } from './door';
import type { PbxContext } from './context';
import { failureOfError } from './failure';
import type { Answer, Failure } from './failure';
import type { Patience } from './patience';
import { discard, tie } from './stream';

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

const CANCELLED: Failure = {
	kind: 'cancelled',
	words: 'The execution was cancelled',
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
		aborter.abort();
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
