import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { readCredential, secretsOf } from '../auth/credential';
import { blankSecrets } from '../values/secrets';
import { discard } from './body';
import type { Failure, IsList } from './failure';
import {
	failureOfAnswer,
	failureOfBody,
	failureOfContent,
	failureOfError,
	failureOfGarbage,
} from './failure';
import { readJson, readWords } from './jsonReader';
import type { Client, PbxRequest, Sending } from './request';
import { whyStopped, open, withToken } from './request';

/** The JSON of an answer that is a success, or why there is none. */
export type JsonResult = { body: unknown } | { failure: Failure };

/** Segments that would change the path: encoding does not protect them. */
const DOTS = /^\.{0,2}$/;

/** Sends a request with JSON and reads the answer, with a new token where need be, but without any other repetition. */
export async function sendJson(client: Client, request: PbxRequest): Promise<JsonResult> {
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
			async (data) => await sendOnce(client, { options, data, evenWhenCancelled }, isList),
		);
	} catch (error) {
		return { failure: failureOfError(error, client.host) };
	}
}

function optionsOf(request: PbxRequest, accountId: string | undefined): IHttpRequestOptions {
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

/** Sends one request, reads its answer to the end, and judges it. */
export async function sendOnce(
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
			return { failure: failureOfAnswer(cleaned(await readWords(answer))) };
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

/** Blanks the secrets of a credential in words or data of the PBX. */
export function withoutSecrets<T>(value: T, data: ICredentialDataDecryptedObject): T {
	return blankSecrets(value, secretsOf(readCredential(data), value));
}
