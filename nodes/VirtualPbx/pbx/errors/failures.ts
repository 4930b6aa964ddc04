import { asText, isObject } from '../../util/json';
import { withoutSecrets } from '../redact';
import { fieldComplaints, holdsNothing, listIn, messageIn, saidIn } from '../response';
import type { IsList, ReadResponse } from '../types';
import { meaningOf, networkFault, storageFault } from './meanings';
import type { ErrorDetails } from './pbxError';
import { AuthError, PbxError, RUN_AGAIN } from './pbxError';

/** Returns the error for an error response (§7). */
export function errorOfResponse(response: ReadResponse): PbxError {
	const says = saidIn(withoutSecrets(response.body, []));
	return new PbxError(responseDetails(response, says));
}

function responseDetails({ statusCode, body, headers }: ReadResponse, says?: string): ErrorDetails {
	return {
		kind: 'status',
		status: statusCode,
		reason: says ?? `The PBX responded with status ${statusCode}`,
		hint: meaningOf(statusCode).hint,
		complaints: fieldComplaints(body),
		says,
		hangupCause:
			isObject(body) && isObject(body.data) ? asText(body.data.error_message) : undefined,
		requestId: isObject(body) ? asText(body.request_id) : undefined,
		retryAfterMs: readRetryAfter(headers['retry-after']),
	};
}

/**
 * Converts a `Retry-After` header, seconds or an HTTP date, to milliseconds from now; undefined if absent or
 * malformed.
 */
function readRetryAfter(value: unknown, now = Date.now()): number | undefined {
	const text = asText(value)?.trim() ?? '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Returns the error in a response with a success status: its `status` says otherwise (§2.1; in a list, anything but
 * success), it has nothing but an `error_message` (§5.2), or a list is missing. Undefined if all is well.
 */
export function errorOfContent(
	response: ReadResponse,
	isList: IsList = false,
): PbxError | undefined {
	const { body, statusCode } = response;
	const status = (isObject(body) && asText(body.status)) || 'success';
	const isError = isList
		? !/^(?:success|ok|2\d\d$)/i.test(status)
		: /^(?:error|fail)/i.test(status);
	if (isError || isOnlyError(body)) {
		return new PbxError(responseDetails(response, messageIn(body) ?? `status "${status}"`));
	}
	if (!isList || listIn(body) || (isList === 'orNothing' && holdsNothing(body))) return undefined;
	return new PbxError({
		kind: 'response',
		status: statusCode,
		reason: "The PBX's response has no list",
		says: messageIn(body),
		hint: RUN_AGAIN,
	});
}

function isOnlyError(body: unknown): boolean {
	if (!isObject(body) || 'data' in body) return false;
	return asText(body.error_message) !== undefined && asText(body.error_code) !== '0';
}

/** Returns the error for a recording that arrived, but that n8n couldn't store. */
export function notStored(thrown: unknown): PbxError {
	const { reason, hint } = storageFault(thrown);
	return new PbxError({
		kind: 'storage',
		reason: `n8n couldn't store the recording: ${reason}`,
		hint,
	});
}

/**
 * Returns the error for an exception while sending a request: a network fault, a failed login, or a blocked address.
 */
export function errorOfThrown(thrown: unknown, host: string): PbxError {
	const known = findPbxError(thrown);
	// More words will follow the credential's message, which is a full sentence.
	if (known instanceof AuthError)
		return new PbxError({ ...known.details, reason: known.message.replace(/\.$/, '') });
	if (known) return known;
	const { reason, isBlocked, ...fault } = networkFault(thrown, host);
	return isBlocked
		? new PbxError({ kind: 'unsent', reason: `Couldn't reach the PBX: ${reason}`, ...fault })
		: new PbxError({ kind: 'network', reason: `No response from the PBX: ${reason}`, ...fault });
}

/** Finds a PbxError inside n8n's wrapper for errors that a credential throws. */
function findPbxError(thrown: unknown): PbxError | undefined {
	if (thrown instanceof PbxError) return thrown;
	return thrown instanceof Error && thrown.cause !== thrown
		? findPbxError(thrown.cause)
		: undefined;
}

/** Returns the error for an exception while reading a response: the PBX went silent, or the connection broke. */
export function errorOfBody(thrown: unknown, host: string): PbxError {
	const error = errorOfThrown(thrown, host);
	if (!error.details.isTimeout) return error;
	const reason = `The PBX's response was cut off: ${host} went silent before it was complete`;
	return new PbxError({ ...error.details, reason });
}

/** Returns the error for a PBX that exceeded the deadline. */
export function outOfTime(): PbxError {
	return new PbxError({
		kind: 'network',
		reason: 'No response from the PBX within the time limit',
		hint: "Check that n8n can reach the PBX, and that the PBX isn't overloaded.",
	});
}

/** Returns the error for a request that a person or n8n canceled. */
export function cancelled(): PbxError {
	return new PbxError({ kind: 'cancelled', reason: 'The execution was canceled' });
}
