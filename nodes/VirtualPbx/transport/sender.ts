import type { IHttpRequestHelper, IHttpRequestOptions } from 'n8n-workflow';

import type { FullAnswer, Send } from '../auth/login';
import { whenOver } from './stopwatch';

/** n8n's request helper, as both the credential and the nodes have it. */
export type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/** How long a login may take in all, in milliseconds. Changed by tests only. */
export const LOGIN = { timeoutMs: 30_000 };

/** Lets auth talk to the PBX: each request is over within `LOGIN.timeoutMs`, however slowly its answer drips. */
export function senderOf(httpRequest: HttpRequest): Send {
	return async (options) => await sendInTime(httpRequest, options);
}

/**
 * Sends a sample of events to n8n itself.
 *
 * @param url where this n8n listens for a test event
 * @throws what n8n's helper throws
 */
export async function sendSample(
	httpRequest: HttpRequest,
	url: string,
	body: object[],
): Promise<void> {
	await httpRequest({ method: 'POST', url, body, json: true, timeout: 10_000 });
}

/**
 * Sends a request that has to be over within `LOGIN.timeoutMs`, however slowly its answer drips.
 *
 * @param options with `returnFullResponse`
 * @throws what n8n's helper throws; an Error that says `timeout`
 */
async function sendInTime(
	httpRequest: HttpRequest,
	options: IHttpRequestOptions,
): Promise<FullAnswer> {
	const aborter = new AbortController();
	const began = Date.now();
	const end = whenOver(
		() => began + LOGIN.timeoutMs,
		() => aborter.abort(),
	);
	try {
		return (await httpRequest({ ...options, abortSignal: aborter.signal })) as FullAnswer;
	} catch (error) {
		throw aborter.signal.aborted ? new Error('timeout') : error;
	} finally {
		end();
	}
}
