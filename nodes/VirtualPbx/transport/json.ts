import type { ICredentialsDecrypted, IHttpRequestOptions } from 'n8n-workflow';

import type { Door, PbxRequest } from './request';
import { failureOfAnswer, failureOfContent, failureOfError, failureOfGarbage } from './failure';
import type { Answer, Failure } from './failure';
import { NOT_BEGUN } from './patience';
import type { Patience } from './patience';
import { open } from './request';
import { readJson, readWords } from './stream';
import { withoutKnownSecrets, withToken } from './tokens';

/** The JSON of an answer that is a success, or why there is none. */
export type JsonResult = { body: unknown } | { failure: Failure };

/** Segments that would change the path: encoding does not protect them. */
const DOTS = /^\.{0,2}$/;

/** Sends a request with JSON and reads the answer, with a new token where need be, but without any other repetition. */
export async function sendJson(
	door: Door,
	request: PbxRequest,
	patience: Patience,
): Promise<JsonResult> {
	const unfit = [request.accountId || 'own', ...request.path].find((id) => DOTS.test(id));
	if (unfit !== undefined) {
		return { failure: { kind: 'refused', words: `The ID "${unfit}" cannot be used`, hint: '' } };
	}
	const { budget } = door;
	if (budget && (budget.isClosed || budget.until <= Date.now())) return { failure: NOT_BEGUN };
	try {
		const kind = `${request.method} ${request.path[0]}`;
		return await withToken(
			door,
			kind,
			async (credential) => await sendOnce(door, { request, patience, credential }),
		);
	} catch (error) {
		return { failure: failureOfError(error, door.host) };
	}
}

interface JsonSending {
	request: PbxRequest;
	patience: Patience;
	credential: ICredentialsDecrypted;
}

async function sendOnce(
	door: Door,
	{ request, patience, credential }: JsonSending,
): Promise<JsonResult> {
	const opened = await open(door, {
		options: optionsOf(request),
		credential,
		patience,
		host: door.host,
		evenWhenCancelled: request.evenWhenCancelled,
	});
	if ('failure' in opened) return opened;
	const { answer } = opened;
	const read = isSuccess(answer)
		? await readBody(door, answer, patience)
		: { body: await readWords(answer.body, patience) };
	if ('failure' in read) return read;
	if (!isSuccess(answer)) return { failure: failureOfAnswer(cleaned(door, answer, read.body)) };
	const failure = failureOfContent({ ...answer, body: read.body }, request.isList);
	// Only words are cleaned, and only where they are shown: data stays as it is.
	if (!failure) return read;
	return {
		failure: failureOfContent(cleaned(door, answer, read.body), request.isList) ?? failure,
	};
}

function cleaned(door: Door, answer: Answer, body: unknown): Answer {
	return { ...answer, body: withoutKnownSecrets(door, body) };
}

async function readBody(door: Door, answer: Answer, patience: Patience): Promise<JsonResult> {
	const outcome = await readJson(answer.body, patience);
	if ('body' in outcome) return outcome;
	if ('error' in outcome) {
		return { failure: patience.verdict ?? failureOfError(outcome.error, door.host) };
	}
	return { failure: failureOfGarbage({ ...answer, body: outcome.beginning }) };
}

function isSuccess({ statusCode }: Answer): boolean {
	return statusCode >= 200 && statusCode <= 299;
}

function optionsOf(request: PbxRequest): IHttpRequestOptions {
	const account = request.accountId ? encodeURIComponent(request.accountId) : '{account_id}';
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
