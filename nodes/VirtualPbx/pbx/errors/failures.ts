import { asText, isObject } from '../../util/json';
import { withoutSecrets } from '../redact';
import type { ReadResponse } from '../types';
import { meaningOf, networkFault, storageFault } from './meanings';
import type { ErrorDetails, FieldComplaint } from './pbxError';
import { AuthError, PbxError } from './pbxError';

/** Returns the error for an error response (§7). */
export function errorOfResponse(response: ReadResponse): PbxError {
	const says = saidIn(withoutSecrets(response.body, []));
	return new PbxError(responseDetails(response, says));
}

/** Returns what an error response says, in the given words or by its status. */
export function responseDetails(
	{ statusCode, body, headers }: ReadResponse,
	says?: string,
): ErrorDetails {
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

export function outOfTime(): PbxError {
	return new PbxError({
		kind: 'network',
		reason: 'No response from the PBX within the time limit',
		hint: "Check that n8n can reach the PBX, and that the PBX isn't overloaded.",
	});
}

export function cancelled(): PbxError {
	return new PbxError({ kind: 'cancelled', reason: 'The execution was canceled' });
}

/** Finds a field of a login response in `data` or at the top level, in either case (§5.2). */
export function loginField(body: unknown, name: string): string | undefined {
	if (!isObject(body)) return undefined;
	return [body.data, body]
		.filter(isObject)
		.flatMap((place) => [asText(place[name]), asText(place[name.toUpperCase()])])
		.find((value) => value !== undefined);
}

/** Returns whether a login response names an error, whatever its status (§5.2). */
export function isRejectedLogin(body: unknown): boolean {
	return !['0', undefined].includes(loginField(body, 'error_code'));
}

const MAX_LENGTH = 300;

/** A machine-readable name such as `bad_identifier`, less useful than a sentence beside it. */
const CODE = /^[a-z\d]+(?:_[a-z\d]+)+$/i;

/**
 * Finds the PBX's own words in a response whose shape the contract leaves open (§7.2), as one line of at most 300
 * characters. Reads the spellings that were seen: `message`, `error_message` at the top or in `data`, `data.message`, and
 * a text as `data`. A code such as `bad_identifier` is used only if there is nothing else, and a single word such as
 * `gone` only if `data` isn't a sentence. Bare status codes and HTML don't count.
 */
export function messageIn(body: unknown): string | undefined {
	if (typeof body === 'string') return plainText(body);
	if (!isObject(body)) return undefined;
	const data = isObject(body.data) ? body.data : {};
	const text = typeof body.data === 'string' ? plainText(body.data) : undefined;
	const words = [body.message, body.error_message, text, data.message, data.error_message];
	const said = words.map(wordsIn).filter((one) => one !== undefined);
	const isCode = (one: string) => CODE.test(one) || (text?.includes(' ') && !one.includes(' '));
	return said.find((one) => !isCode(one)) ?? said[0];
}

/** Returns what a PBX said: its words, or, in a shape that isn't known, the response itself. */
export function saidIn(body: unknown): string | undefined {
	const isEmpty = typeof body !== 'object' || body === null || Object.keys(body).length === 0;
	const raw = isEmpty || fieldComplaints(body).length > 0 ? undefined : JSON.stringify(body);
	return messageIn(body) ?? (raw && oneLine(raw));
}

function wordsIn(value: unknown): string | undefined {
	const text = asText(value);
	return text !== undefined && /[^\d\s]/.test(text) ? oneLine(text) : undefined;
}

/**
 * Collects the PBX's complaints about single fields: `data: { "<field>": { "<rule>": { message } } }`, or a text per
 * rule.
 */
export function fieldComplaints(body: unknown): FieldComplaint[] {
	if (!isObject(body) || !isObject(body.data)) return [];
	return Object.entries(body.data).flatMap(([field, rules]) =>
		isObject(rules)
			? Object.entries(rules).flatMap(([rule, one]) => complaintOf({ field, rule }, one))
			: [],
	);
}

/** Builds a complaint even from a rule without words, which can still name the taken or the accepted values. */
function complaintOf(about: { field: string; rule: string }, value: unknown): FieldComplaint[] {
	const { cause, target, message }: Record<string, unknown> = isObject(value)
		? value
		: { message: value };
	const choices = (Array.isArray(target) ? target : []).filter((one) => typeof one === 'string');
	const taken = about.rule === 'unique' ? asText(cause) : undefined;
	const said = wordsIn(message) ?? (taken && `${taken} is taken`);
	if (choices.length === 0) return said === undefined ? [] : [{ ...about, message: said }];
	const accepted = choices.map((one) => `"${one}"`).join(', ');
	return [
		{ ...about, message: oneLine(`${said ?? 'Not accepted'} (accepted: ${accepted})`), choices },
	];
}

function plainText(body: string): string | undefined {
	return /^\s*(?:[<{[]|$)/.test(body) ? undefined : oneLine(body);
}

function oneLine(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
