import type { IDataObject } from 'n8n-workflow';

import { asText } from '../values/json';
import { readInstant } from '../values/time';

/** One delivery attempt as a PBX logs it (§2.5: its fields are not shown). */
export interface Attempt {
	/** Undefined where the log does not tell. */
	isSuccess: boolean | undefined;
	/** Unix milliseconds. */
	at: number | undefined;
	/** What the receiver answered; undefined where it did not answer. */
	status: number | undefined;
	/** Why it failed, in words; empty for a success. */
	reason: string;
}

/** What deliveries and their webhook came to, by the attempts that the PBX keeps. */
export interface AttemptsSummary {
	attempts: number;
	succeeded: number;
	failed: number;
	lastSuccess: Attempt | undefined;
	lastFailure: Attempt | undefined;
	/** How many were answered by n8n while it started, which takes no event. */
	lostAtStart: number;
	/** Whether the latest attempt failed. */
	isFailing: boolean;
}

const MAX_REASON = 200;
/** Nobody listens at the address of a webhook. */
export const NOT_PUBLISHED =
	'no workflow listens at this address (404): publish the workflow, or delete the webhook';

/** What the answers of a receiver mean for deliveries of call events. */
const STATUS_WORDS: Record<number, string> = {
	401: 'the receiver refused the delivery (401): the secret of the webhook is missing or old. If it stays so, turn off Verify Deliveries in the trigger',
	403: 'a server in front of the receiver forbids the delivery (403): check its proxy or firewall',
	404: NOT_PUBLISHED,
	413: 'the event is too large for the receiver (413)',
	502: 'the receiver is not running behind its proxy (502)',
	503: 'the receiver is overloaded or starting (503)',
	504: 'the receiver is too slow behind its proxy (504)',
};

const ONLY_200 = ', and the PBX takes only 200 for a success';

/** What the PBX's HTTP client says, in the words of several versions of the platform. */
const FAULT_WORDS: ReadonlyArray<[RegExp, string]> = [
	[/nxdomain|enotfound|getaddrinfo/i, "the PBX does not know the receiver's host name"],
	[
		/tls|ssl|certificate/i,
		'the PBX could not make a secure connection: check the certificate of the receiver',
	],
	[/time_?d?[ -]?_?out|timeout|no answer/i, 'the receiver did not answer in time'],
	[/refused/i, 'the receiver refused the connection: it is not running, or a firewall blocks it'],
	[/unreach|failed_connect|no route/i, 'the PBX could not reach the receiver'],
	[/reset|closed|hang ?up/i, 'the receiver closed the connection before it answered'],
];

/** Reads an attempt of the log (§4.4), by the names that both known versions of the platform give its fields. */
export function readAttempt(entry: IDataObject): Attempt {
	const status = statusOf(entry.resp_status_code ?? entry.response_code);
	const isSuccess = outcomeOf(entry, status);
	return {
		isSuccess,
		at: readInstant(entry.timestamp, 'UTC'),
		status,
		reason: isSuccess === true ? '' : reasonIn(entry, status),
	};
}

/** Sums the attempts of one webhook up. Without times, the first of the list is the latest (§4.4). */
export function summarize(entries: readonly IDataObject[]): AttemptsSummary {
	const known = entries.map(readAttempt).filter(({ isSuccess }) => isSuccess !== undefined);
	// A stable sort: where times are equal or missing, the order of the list holds.
	const latestFirst = [...known].sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
	const successes = latestFirst.filter(({ isSuccess }) => isSuccess);
	const failures = latestFirst.filter(({ isSuccess }) => !isSuccess);
	return {
		attempts: entries.length,
		succeeded: successes.length,
		failed: failures.length,
		lastSuccess: successes[0],
		lastFailure: failures[0],
		lostAtStart: entries.filter(isLostAtStart).length,
		isFailing: latestFirst[0]?.isSuccess === false,
	};
}

/** n8n answers 200 with these words to every address until its migrations have run. */
const STARTING = /n8n is starting up/i;

function isLostAtStart({ resp_body, response_body }: IDataObject): boolean {
	return STARTING.test(asText(resp_body ?? response_body) ?? '');
}

/** `500`, `"500"`. */
function statusOf(value: unknown): number | undefined {
	const digits = /^\s*[1-9]\d\d\s*$/.exec(asText(value) ?? '')?.[0];
	return digits === undefined ? undefined : Number(digits);
}

/** What the PBX calls the result decides, unless the status says otherwise; without it, only 200 is a success. */
function outcomeOf({ result }: IDataObject, status: number | undefined): boolean | undefined {
	if (result === 'failure' || (status !== undefined && status >= 300)) return false;
	if (result === 'success') return true;
	return status === undefined ? undefined : status === 200;
}

function reasonIn(entry: IDataObject, status: number | undefined): string {
	const said = [entry.client_error, entry.reason].map(asText).filter(Boolean).join(', ');
	if (status !== undefined && status !== 200 && !(status < 300 && said !== ''))
		return (
			STATUS_WORDS[status] ??
			`the receiver answered with status ${status}${status < 300 ? ONLY_200 : ''}`
		);
	const known = FAULT_WORDS.find(([words]) => words.test(said))?.[1];
	if (known !== undefined) return known;
	return said === '' ? 'the PBX logs no reason' : said.slice(0, MAX_REASON);
}
