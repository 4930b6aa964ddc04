import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../../util/json';
import { readInstant } from '../../util/time';

/** A delivery attempt in a PBX's log, whatever its fields are called (§2.5 doesn't show them). */
export interface Attempt {
	/** Undefined if the log doesn't show it. */
	isSuccess: boolean | undefined;
	/** Unix milliseconds. */
	at: number | undefined;
	/** The receiver's response status; undefined if it didn't respond. */
	status: number | undefined;
	/** Why it failed, in words; empty for a success. */
	reason: string;
}

/** The results of a webhook's deliveries, from the attempts in the PBX's log. */
export interface AttemptsSummary {
	attempts: number;
	succeeded: number;
	failed: number;
	/** The latest one, either logged by the PBX or accepted by this process. */
	lastSuccess: Attempt | undefined;
	lastFailure: Attempt | undefined;
	/** How many n8n answered while starting up, when it loses all events. */
	lostAtStart: number;
	/** Whether the latest attempt failed, and recently enough to count. */
	isFailing: boolean;
	/** Whether the latest attempt succeeded; false if unknown. */
	isDelivering: boolean;
}

/**
 * How long a failure counts. By default, platforms log only failures, so no success would ever end one, and this
 * process doesn't know about deliveries to other n8n processes. Hourly checks still see each failure.
 */
export const FAILURE_AGE_MS = 2 * 3_600_000;

const MAX_REASON = 200;
/** No workflow listens at a webhook's address. */
export const NOT_PUBLISHED =
	'no workflow listens at this address (404): publish the workflow, or delete the webhook';

/** The meaning of a receiver's response statuses for deliveries of call events. */
const STATUS_WORDS: Record<number, string> = {
	401: "the receiver rejected the delivery (401): the secret of the webhook is missing or old. If this continues, turn off 'Verify Deliveries' in the trigger",
	403: 'a server in front of the receiver forbids the delivery (403): check its proxy or firewall',
	404: NOT_PUBLISHED,
	413: 'the event is too large for the receiver (413)',
	502: "the receiver isn't running behind its proxy (502)",
	503: 'the receiver is overloaded or starting (503)',
	504: 'the receiver is too slow behind its proxy (504)',
};

const ONLY_200 = ', and the PBX treats only 200 as success';

/** Faults of the PBX's HTTP client, in the words of several platform versions. */
const FAULT_WORDS: ReadonlyArray<[RegExp, string]> = [
	[/nxdomain|enotfound|getaddrinfo/i, "the PBX can't resolve the receiver's host name"],
	[
		/tls|ssl|certificate/i,
		"the PBX couldn't make a secure connection: check the certificate of the receiver",
	],
	[/time_?d?[ -]?_?out|timeout|no answer/i, "the receiver didn't respond in time"],
	[/refused/i, "the receiver refused the connection: it isn't running, or a firewall blocks it"],
	[/unreach|failed_connect|no route/i, "the PBX couldn't reach the receiver"],
	[/reset|closed|hang ?up/i, 'the receiver closed the connection before it responded'],
];

/** Reads an entry of the attempt log (§4.4). */
export function readAttempt(entry: IDataObject): Attempt {
	const status = statusIn(entry);
	const isSuccess = outcomeOf(entry, status);
	return {
		isSuccess,
		at: timeIn(entry),
		status,
		reason: isSuccess === true ? '' : reasonIn(entry, status),
	};
}

/**
 * Summarizes the attempts of one webhook. Without times, the first in the list is the latest (§4.4).
 *
 * @param acceptedAt when this process last accepted a delivery of the webhook, in Unix milliseconds
 */
export function summarize(entries: readonly IDataObject[], acceptedAt?: number): AttemptsSummary {
	const known = entries.map(readAttempt).filter(({ isSuccess }) => isSuccess !== undefined);
	// A stable sort: if times are equal or missing, the list's order holds.
	const latestFirst = [...known].sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
	const successes = latestFirst.filter(({ isSuccess }) => isSuccess);
	const failures = latestFirst.filter(({ isSuccess }) => !isSuccess);
	const [latest] = latestFirst;
	const oldest = Date.now() - FAILURE_AGE_MS;
	const isFailure = latest?.isSuccess === false;
	// An old accepted delivery doesn't outweigh a failure without a time, which might be newer.
	const isOver = acceptedAt !== undefined && acceptedAt > Math.max(latest?.at ?? 0, oldest);
	return {
		attempts: entries.length,
		succeeded: successes.length,
		failed: failures.length,
		lastSuccess: later(successes[0], acceptedAt),
		lastFailure: failures[0],
		lostAtStart: entries.filter(isLostAtStart).length,
		isFailing: isFailure && !isOver && (latest.at ?? Infinity) > oldest,
		isDelivering: isOver || latest?.isSuccess === true,
	};
}

function later(logged: Attempt | undefined, acceptedAt: number | undefined): Attempt | undefined {
	if (acceptedAt === undefined || acceptedAt < (logged?.at ?? 0)) return logged;
	return { isSuccess: true, at: acceptedAt, status: 200, reason: '' };
}

/** n8n answers 200 with these words at every address until its migrations have run. */
const STARTING = /n8n is starting up/i;

function isLostAtStart(entry: IDataObject): boolean {
	const response = isObject(entry.response) ? entry.response : {};
	const bodies = [entry.response_body, entry.resp_body, entry.body, response.body];
	return bodies.some((body) => STARTING.test(asText(body) ?? ''));
}

/** Names for the receiver's response status, the most reliable first. */
const STATUS_NAMES = [
	'resp_status_code',
	'response_code',
	'status_code',
	'http_status',
	'http_code',
	'code',
	'status',
];
const TIME_NAMES = ['timestamp', 'time', 'created_at', 'created'];

function statusIn(entry: IDataObject): number | undefined {
	const response = isObject(entry.response) ? entry.response : {};
	const values = [entry, response].flatMap((place) => STATUS_NAMES.map((name) => place[name]));
	return values.map(statusOf).find((status) => status !== undefined);
}

/** Reads `500`, `"500 Internal Server Error"`, `"HTTP/1.1 500"`. */
function statusOf(value: unknown): number | undefined {
	const digits = /^\s*(?:HTTP\/[\d.]+\s+)?([1-9]\d\d)(?![\d.])/i.exec(asText(value) ?? '')?.[1];
	return digits === undefined ? undefined : Number(digits);
}

function timeIn(entry: IDataObject): number | undefined {
	return TIME_NAMES.map((name) => readInstant(entry[name], 'UTC')).find((at) => at !== undefined);
}

/**
 * Returns the outcome: first by the PBX's `result`, then by any sign of a failure, since only status 200 is a
 * success.
 */
function outcomeOf(entry: IDataObject, status: number | undefined): boolean | undefined {
	if (status !== undefined && status >= 300) return false;
	const result = resultIn(entry.result);
	if (result !== undefined) return result;
	const claims = [resultIn(entry.success), resultIn(entry.status)];
	if (claims.includes(false) || entry.error === true || errorIn(entry) !== '') return false;
	const isClaimed = claims.includes(true);
	if (status === undefined) return isClaimed ? true : undefined;
	return isClaimed ? status >= 200 && status < 300 : status === 200;
}

function resultIn(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	const text = asText(value)?.trim() ?? '';
	if (/^(?:succe|ok$|true$|delivered)/i.test(text)) return true;
	return /^(?:fail|error|false$|time_?d?[ -]?_?out)/i.test(text) ? false : undefined;
}

/** Returns the fault in the words of the PBX's HTTP client. */
function errorIn({ client_error: fault, error }: IDataObject): string {
	const words = isObject(error) ? (error.message ?? error.reason ?? error.code) : error;
	return [fault, words]
		.map((one) => asText(one) ?? '')
		.filter((one) => !/^(?:0|none|null|false|ok)?$/i.test(one))
		.join(', ');
}

/** Reads words, such as `retries exceeded`, that platforms also put in the field for the remaining tries. */
function leftIn(entry: IDataObject): string {
	const left = asText(entry.retries_left ?? entry['retries left']) ?? '';
	return /\p{L}/u.test(left) ? left : '';
}

function reasonIn(entry: IDataObject, status: number | undefined): string {
	const said = [errorIn(entry), asText(entry.reason)].filter(Boolean).join(', ') || leftIn(entry);
	if (status !== undefined && status !== 200 && !(status < 300 && said !== ''))
		return (
			STATUS_WORDS[status] ??
			`the receiver responded with status ${status}${status < 300 ? ONLY_200 : ''}`
		);
	const known = FAULT_WORDS.find(([words]) => words.test(said))?.[1];
	if (known !== undefined) return known;
	return said === '' ? 'the PBX logs no reason' : said.slice(0, MAX_REASON);
}
