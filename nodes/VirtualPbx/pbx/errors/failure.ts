import { asText, isObject } from '../../util/json';
import { answerMessage, fieldComplaints, holdsNothing, listIn } from '../http/envelope';
import type { FieldComplaint } from '../http/envelope';
import { LoginRefusal, PbxRefusal } from '../session/credential';
import { meaningOf, networkFault } from './meanings';

/**
 * Why a request did not work.
 * `status`: the PBX answered with an error. `network`: no or no whole answer. `answer`: an answer that is none of a PBX.
 * `refused`: not sent, or the login failed; the message is final. `cancelled`: a person or n8n has cancelled.
 */
export interface Failure {
	kind: 'status' | 'network' | 'answer' | 'refused' | 'cancelled';
	/** What happened: the PBX's own words where it answered with an error and has any. One sentence without a full stop. */
	message: string;
	/** The PBX's own words, where it has any. */
	says?: string | undefined;
	/** What to do. */
	hint: string;
	status?: number;
	requestId?: string | undefined;
	complaints?: FieldComplaint[];
	retryAfterMs?: number | undefined;
	/** Of a failed login: it may work later without anyone doing anything. */
	isTransient?: boolean;
	/** The request surely did not reach the PBX. */
	notSent?: boolean;
	/** The PBX was silent for too long. */
	isTimeout?: boolean;
}

/** A PBX answer whose body was read: JSON or text. */
interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/** The failure of a request that a person or n8n has cancelled. */
export const CANCELLED: Failure = {
	kind: 'cancelled',
	message: 'The execution was canceled',
	hint: '',
};

/** The failure of a PBX that took more time than there was. */
export const OUT_OF_TIME: Failure = {
	kind: 'network',
	message: 'No answer from the PBX within the time limit',
	hint: 'Check that this n8n can reach the PBX, and that the PBX is not overloaded.',
};

/** Tells whether a request may work later without anyone doing anything: no answer of a PBX, 429, 5xx, also on login. */
export function isTransient({ kind, status = 0, isTransient: isSaid }: Failure): boolean {
	if (isSaid || kind === 'network' || kind === 'answer') return true;
	return kind === 'status' && (status < 300 || status === 429 || status >= 500);
}

/** Tells whether a request that failed may have done its work at the PBX. */
export function mayHaveActed({ kind, notSent, status = 0 }: Failure): boolean {
	return (['answer', 'network'].includes(kind) && !notSent) || status >= 500;
}

/** Describes an error answer of the PBX (§7). */
export function failureOfAnswer({ statusCode, body, headers }: Answer): Failure {
	const { hint } = meaningOf(statusCode);
	const says = answerMessage(body);
	return {
		kind: 'status',
		status: statusCode,
		message: says ?? `The PBX answered with status ${statusCode}`,
		hint,
		complaints: fieldComplaints(body),
		says,
		requestId: isObject(body) ? asText(body.request_id) : undefined,
		retryAfterMs: readRetryAfter(headers['retry-after']),
	};
}

/** Whether an answer must hold a list; `orNothing` also takes an empty envelope for an empty one. */
export type IsList = boolean | 'orNothing';

/**
 * Describes an answer that came as a success and is none: its `status` says otherwise (§2.1; of a list any but success),
 * it has nothing but an `error_message` (§5.2), or a list is missing. Undefined where all is well.
 */
export function failureOfContent(answer: Answer, isList: IsList = false): Failure | undefined {
	const { body, statusCode } = answer;
	const status = (isObject(body) && asText(body.status)) || 'success';
	const isError = isList
		? !/^(?:success|ok|2\d\d$)/i.test(status)
		: /^(?:error|fail)/i.test(status);
	if (isError || isOnlyError(body)) {
		const failure = failureOfAnswer(answer);
		return { ...failure, says: failure.says ?? `status "${status}"` };
	}
	if (!isList || listIn(body) || (isList === 'orNothing' && holdsNothing(body))) return undefined;
	const message = 'The PBX answered without a list';
	return {
		kind: 'answer',
		status: statusCode,
		message,
		says: answerMessage(body),
		hint: RUN_AGAIN,
	};
}

function isOnlyError(body: unknown): boolean {
	if (!isObject(body) || 'data' in body) return false;
	return asText(body.error_message) !== undefined && asText(body.error_code) !== '0';
}

/** Describes an answer that should be JSON and is not, by its beginning: a web page, or JSON cut off half-way. */
export function failureOfGarbage(beginning: string): Failure {
	if (/^\s*[{[]/.test(beginning)) {
		return { kind: 'network', message: 'The answer of the PBX was cut off', hint: RUN_AGAIN };
	}
	return {
		kind: 'answer',
		message: 'The answer is not from a PBX interface (no JSON)',
		hint: 'Check Base URL and Platform Name in the credential: a web page or a proxy may have answered.',
	};
}

const RUN_AGAIN = 'Run again. If this happens again, check the proxies between n8n and the PBX.';

/** Describes what was thrown while an answer was read: it fell silent, or broke off. */
export function failureOfBody(error: unknown, host: string): Failure {
	const failure = failureOfError(error, host);
	if (!failure.isTimeout) return failure;
	const message = `The answer of the PBX was cut off: ${host} went silent before it was complete`;
	return { ...failure, message };
}

/** Describes what n8n's request helper threw: a network fault, a failed login, or a refused address. */
export function failureOfError(error: unknown, host: string): Failure {
	const refusal = findRefusal(error);
	if (refusal) {
		const message = refusal.message.replace(/\.$/, '');
		const hint = refusal instanceof LoginRefusal ? refusal.hint : '';
		return { kind: 'refused', message, hint, isTransient: refusal.isTransient };
	}
	const { reason, isBlocked, ...fault } = networkFault(error, host);
	if (isBlocked) return { kind: 'refused', message: `Couldn't reach the PBX: ${reason}`, ...fault };
	return { kind: 'network', message: `No answer from the PBX: ${reason}`, ...fault };
}

/** n8n wraps what a credential throws. */
function findRefusal(error: unknown): PbxRefusal | undefined {
	if (error instanceof PbxRefusal) return error;
	return error instanceof Error && error.cause !== error ? findRefusal(error.cause) : undefined;
}

/** Reads a `Retry-After` header, seconds or an HTTP date, as milliseconds from now; undefined when absent or malformed. */
export function readRetryAfter(value: unknown, now = Date.now()): number | undefined {
	const text = asText(value)?.trim() ?? '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** How many times one request is sent at most, and to a silent PBX. */
const TRIES = 4;
const SILENT_TRIES = 2;
const BASE_DELAY_MS = 400;
const MAX_DELAY_MS = 20_000;
const BUSY = new Set([429, 503, 504]);
const REPEATABLE = new Set(['GET', 'DELETE']);

/**
 * Tells after how many milliseconds a request that was sent so many times is sent again, within the PBX's own
 * `Retry-After`; undefined to give up. GET and DELETE: after 429, 503, 504 and network faults. PUT and POST: only where
 * the request surely did not arrive.
 */
export function retryDelay(failure: Failure, method: string, tries: number): number | undefined {
	if (tries >= (failure.isTimeout ? SILENT_TRIES : TRIES)) return undefined;
	if (!mayRepeat(failure, method)) return undefined;

	if (failure.retryAfterMs !== undefined) {
		return failure.retryAfterMs <= MAX_DELAY_MS ? failure.retryAfterMs : undefined;
	}
	const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (tries - 1));
	return ceiling / 2 + Math.random() * (ceiling / 2);
}

function mayRepeat({ kind, notSent, status = 0 }: Failure, method: string): boolean {
	if (kind === 'network' && notSent) return true;
	return REPEATABLE.has(method) && (kind === 'network' || BUSY.has(status));
}
