import { PbxRefusal } from '../auth/credential';
import { answerWords, fieldComplaints, saysTokenEnded } from '../values/answerWords';
import type { FieldComplaint } from '../values/answerWords';
import { asText, isObject } from '../values/json';
import { networkFault } from '../values/networkFault';
import { holdsNothing, listIn } from './envelope';

/**
 * Why a request did not work.
 * `status`: the PBX answered with an error. `network`: no or no whole answer. `answer`: an answer that is none of a PBX.
 * `refused`: not sent, or the login failed; the words are final. `cancelled`: the user stopped the execution.
 */
export interface Failure {
	kind: 'status' | 'network' | 'answer' | 'refused' | 'cancelled';
	/** What happened: the PBX's own words where it answered with an error and has any. One sentence without a full stop. */
	words: string;
	/** The PBX's own words, where it has any. */
	says?: string;
	/** What to do. */
	hint: string;
	status?: number;
	requestId?: string;
	complaints?: FieldComplaint[];
	retryAfterMs?: number;
	/** Of a failed login: it may well work later without anyone doing anything. */
	mayPass?: boolean;
	/** The request surely did not reach the PBX. */
	notSent?: boolean;
	/** The PBX does not take the token, or it may be that. */
	tokenRefused?: 'surely' | 'maybe';
}

/** A PBX answer as the transport sees it. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

const HINTS: Record<number, string> = {
	400: 'Check the values of this operation.',
	401: 'The PBX refuses even a new token. Check that the user has rights in this account. If the PBX allows only one session per user, use a separate user for n8n.',
	403: 'Give the user of the credential more rights at the PBX, or check the account ID.',
	404: 'Check the ID. The object may be deleted or belong to another account.',
	409: 'Run again.',
	415: 'Check Base URL and Platform Name in the credential.',
	429: 'Run less often, or with fewer items at once.',
	500: 'Try again later, or ask your provider with the request ID.',
	503: 'Try again later.',
	504: 'Try again later, or request a smaller range.',
};

const REDIRECTED = {
	words: 'The PBX redirected the request to another address',
	hint: 'Set the Base URL in the credential to the final address.',
};
const RUN_AGAIN = 'Run again. If this happens again, check the proxies between n8n and the PBX.';

/** Describes an error answer of the PBX (§7). */
export function failureOfAnswer(answer: Answer): Failure {
	const { statusCode, body, headers } = answer;
	const requestId = isObject(body) ? asText(body.request_id) : undefined;
	const retryAfterMs = readRetryAfter(headers['retry-after']);
	if (statusCode >= 300 && statusCode < 400)
		return { kind: 'status', status: statusCode, ...REDIRECTED };
	const says = answerWords(body);
	return {
		kind: 'status',
		status: statusCode,
		words: says ?? `The PBX answered with status ${statusCode}`,
		hint: HINTS[statusCode] ?? HINTS[statusCode >= 500 ? 500 : 400] ?? '',
		complaints: fieldComplaints(body),
		...(says === undefined ? {} : { says }),
		...(requestId === undefined ? {} : { requestId }),
		...(retryAfterMs === undefined ? {} : { retryAfterMs }),
		...refusalOfToken(answer),
	};
}

function refusalOfToken({ statusCode, body }: Answer): { tokenRefused?: 'surely' | 'maybe' } {
	if (statusCode === 401) return { tokenRefused: 'surely' };
	const isRefused = statusCode === 403 || saysTokenEnded(body, statusCode >= 500);
	return isRefused ? { tokenRefused: 'maybe' } : {};
}

/**
 * Describes an answer that came as a success and is none: its `status` says otherwise (§2.1), it says nothing but that the
 * token has ended, or a list is missing.
 *
 * @param isList the answer must hold a list, or nothing where that is an empty one; then any `status` but success counts
 * @returns undefined where all is well
 */
export function failureOfContent(
	answer: Answer,
	isList: boolean | 'orNothing' = false,
): Failure | undefined {
	const { body } = answer;
	const status = (isObject(body) && asText(body.status)) || 'ok';
	const isError = isList
		? !/^(?:success|ok|2\d\d$)/i.test(status)
		: /^(?:error|fail)/i.test(status);
	const isRefused = isObject(body) && !('data' in body) && saysTokenEnded(body, true);
	if (isError || isRefused) return failureSaid(answer, status);
	const isFine = !isList || listIn(body) !== undefined;
	return isFine ? undefined : failureOfNoList(answer, isList === 'orNothing');
}

function failureOfNoList(answer: Answer, mayBeNothing: boolean): Failure | undefined {
	if (mayBeNothing && holdsNothing(answer.body)) return undefined;
	const says = answerWords(answer.body);
	return {
		kind: 'network',
		status: answer.statusCode,
		words: 'The PBX answered without a list',
		hint: RUN_AGAIN,
		...(says === undefined ? {} : { says }),
		...refusalOfToken(answer),
	};
}

function failureSaid(answer: Answer, status: string): Failure {
	const failure = failureOfAnswer(answer);
	const words = failure.says ?? `The PBX answered with status "${status}"`;
	return { ...failure, words, says: failure.says ?? `status "${status}"`, hint: HINTS[500] ?? '' };
}

/** Describes an answer that should be JSON and is not: HTML of a proxy, or JSON cut off half-way. */
export function failureOfGarbage(answer: Answer): Failure {
	const text = String(answer.body).trimStart();
	const cutOff = text.startsWith('{') || text.startsWith('[');
	return {
		kind: cutOff ? 'network' : 'answer',
		status: answer.statusCode,
		words: cutOff
			? 'The answer of the PBX was cut off'
			: 'The answer is not from a PBX interface (no JSON)',
		hint: cutOff
			? RUN_AGAIN
			: 'Check Base URL and Platform Name in the credential: a web page or a proxy may have answered.',
	};
}

/**
 * Describes what n8n's request helper threw.
 *
 * @param error a network fault, a failed login, a refused address, or a 401 that stayed after a new login
 * @param host the host and port of the PBX
 */
export function failureOfError(error: unknown, host: string): Failure {
	const marks = errorMarks(error);
	if (marks.includes('ERR_CANCELED') || marks.includes('canceled')) {
		return { kind: 'cancelled', words: 'The execution was canceled', hint: '' };
	}
	const refusal = findRefusal(error);
	if (refusal) return failureOfRefusal(refusal);
	const answer = errorAnswer(error);
	if (answer && !isSuccess(answer)) return failureOfAnswer(answer);

	const { text, hint, notSent } = networkFault(error, host);
	return { kind: 'network', words: `No answer from the PBX: ${text}`, hint, notSent };
}

/** Tells a failure that may pass without anyone doing anything (no answer of a PBX, an error under 2xx, 429, 5xx, also on login) from a refusal. */
export function mayPass({ kind, status = 0, mayPass: isSaid }: Failure): boolean {
	if (isSaid || kind === 'network' || kind === 'answer') return true;
	return kind === 'status' && (status < 300 || status === 429 || status >= 500);
}

/** An answer that began well and is an error all the same broke off half-way. */
function isSuccess({ statusCode }: Answer): boolean {
	return statusCode >= 200 && statusCode < 300;
}

function failureOfRefusal({ message, mayPass }: PbxRefusal): Failure {
	return { kind: 'refused', words: message.replace(/\.$/, ''), hint: '', mayPass };
}

function findRefusal(error: unknown): PbxRefusal | undefined {
	for (let current = error; current instanceof Error; current = current.cause) {
		if (current instanceof PbxRefusal) return current;
		if (current.cause === current) return undefined;
	}
	return undefined;
}

function errorMarks(error: unknown): string[] {
	if (!(error instanceof Error)) return [String(error)];
	const { message, messages, description, code, cause } = error as Error & Record<string, unknown>;
	return [
		message,
		...(Array.isArray(messages) ? messages.map(String) : []),
		String(description ?? ''),
		String(code ?? ''),
		...(cause instanceof Error ? errorMarks(cause) : []),
	];
}

function errorAnswer(error: unknown): Answer | undefined {
	if (!(error instanceof Error)) return undefined;
	const { httpCode, context, cause, response } = error as Error & Record<string, unknown>;
	if (isObject(response) && typeof response.status === 'number') {
		return {
			statusCode: response.status,
			headers: isObject(response.headers) ? response.headers : {},
			body: response.data,
		};
	}
	const inner = cause === error ? undefined : errorAnswer(cause);
	if (inner) return inner;
	const statusCode = Number(httpCode);
	return statusCode >= 100
		? { statusCode, headers: {}, body: isObject(context) ? context.data : undefined }
		: undefined;
}

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 *
 * @returns milliseconds from now, never negative; undefined when absent or malformed
 */
export function readRetryAfter(value: unknown, now = Date.now()): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
