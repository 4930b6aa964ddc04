import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import { numberToUnixMs } from '../../util/time';

/** A delivery attempt in a PBX's log. */
export interface Attempt {
	/** Undefined if the log doesn't show it in a form that is known. */
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
 * How long a failure counts. By default, platforms log only failures, so no success would ever end one. Hourly checks
 * still see each failure.
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

/**
 * Reads an entry of the attempt log (§4.4). The contract shows no fields: these are Kazoo's, of version 3.22 and of later
 * ones. `timestamp` is in Gregorian seconds.
 */
export function readAttempt(entry: IDataObject): Attempt {
	const status = Number(entry.resp_status_code ?? entry.response_code) || undefined;
	const isSuccess = RESULTS.get(entry.result);
	return {
		isSuccess,
		at: numberToUnixMs(asText(entry.timestamp) ?? ''),
		status,
		reason: isSuccess === true ? '' : reasonIn(entry, status),
	};
}

const RESULTS = new Map<unknown, boolean>([
	['success', true],
	['failure', false],
]);

/** Summarizes the attempts of one webhook. Without times, the first in the list is the latest (§4.4). */
export function summarize(entries: readonly IDataObject[]): AttemptsSummary {
	const known = entries.map(readAttempt).filter(({ isSuccess }) => isSuccess !== undefined);
	// A stable sort: if times are equal or missing, the list's order holds.
	const latestFirst = [...known].sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
	const successes = latestFirst.filter(({ isSuccess }) => isSuccess);
	const failures = latestFirst.filter(({ isSuccess }) => !isSuccess);
	const [latest] = latestFirst;
	const isRecent = Date.now() - (latest?.at ?? Infinity) < FAILURE_AGE_MS;
	return {
		attempts: entries.length,
		succeeded: successes.length,
		failed: failures.length,
		lastSuccess: successes[0],
		lastFailure: failures[0],
		lostAtStart: entries.filter(isLostAtStart).length,
		isFailing: latest?.isSuccess === false && isRecent,
		isDelivering: latest?.isSuccess === true,
	};
}

/** n8n answers 200 with these words at every address until its migrations have run. */
const STARTING = /n8n is starting up/i;

function isLostAtStart({ resp_body: body, response_body: older }: IDataObject): boolean {
	return STARTING.test(asText(body ?? older) ?? '');
}

function reasonIn(entry: IDataObject, status: number | undefined): string {
	if (status !== undefined && status !== 200)
		return (
			STATUS_WORDS[status] ??
			`the receiver responded with status ${status}${status < 300 ? ONLY_200 : ''}`
		);
	const { client_error: fault, reason, retries_left: left } = entry;
	const said = [fault, reason].flatMap((one) => asText(one) || []).join(', ');
	const known = FAULT_WORDS.find(([words]) => words.test(said))?.[1];
	if (known !== undefined) return known;
	// Later versions write `retries exceeded` in the place of a number.
	const words = said || (typeof left === 'string' ? left : '');
	return words === '' ? 'the PBX logs no reason' : words.slice(0, MAX_REASON);
}
