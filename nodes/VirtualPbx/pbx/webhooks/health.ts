import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import { toIso, numberToUnixMs } from '../../util/time';
import { findTagTexts } from '../events/delivery';
import { hookOfName, nameOfHook } from '../events/table';
import { blankSecrets } from '../redact';
import type { Webhook } from './webhooks';

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
const NOT_PUBLISHED =
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

export type HealthState = 'failing' | 'not published' | 'ok' | 'switched off' | 'unknown address';

/** The health of an event trigger's registration, for a person or a workflow that monitors it. */
export interface Health extends IDataObject {
	id: string;
	event: string;
	address: string;
	workflow: string | null;
	state: HealthState;
	/** The problem and its solution, or the missing facts, in words; empty if all is well. */
	reason: string;
	lastSuccess: string | null;
	lastFailure: string | null;
	lastFailureStatus: number | null;
	lastFailureReason: string | null;
	attempts: number;
	succeeded: number;
	failed: number;
}

/** Facts about a registration besides the webhook itself. */
export interface HealthFacts {
	/** Its attempts as the PBX logs them. */
	attempts: readonly IDataObject[];
	/** Why its attempts can't be read, if so. */
	fault?: string | undefined;
	/** Whether the address belongs to this n8n instance. */
	isKnown: boolean;
	/** Whether a workflow listens there; undefined if n8n can't call the address itself. */
	isPublished?: boolean | undefined;
}

/**
 * Judges a registration by its full webhook and its log of deliveries (§2.5, §4.4). The most serious problem comes
 * first: disabled, then no listening workflow, then settings that keep events away or a failed latest delivery, then
 * an unknown address. Masks the webhook's secret: the PBX's log can contain what it sent.
 */
export function healthOf(webhook: Webhook, evidence: HealthFacts): Health {
	const summary = summarize(evidence.attempts);
	const { attempts, succeeded, failed, lastSuccess, lastFailure } = summary;
	const state = healthState(webhook, summary, evidence);
	const reasons = [
		reasonOf(state, webhook, summary),
		lossIn(summary),
		doubtOf(summary, evidence.fault),
	];
	const secrets = findTagTexts(webhook.original);
	return {
		id: webhook.id ?? '',
		event: eventOf(webhook),
		address: webhook.uri ?? '',
		workflow: webhook.workflow ?? null,
		state,
		reason: blankSecrets(reasons.filter(Boolean).join('; '), secrets),
		lastSuccess: timeOf(lastSuccess?.at),
		lastFailure: timeOf(lastFailure?.at),
		lastFailureStatus: lastFailure?.status ?? null,
		lastFailureReason: lastFailure ? blankSecrets(lastFailure.reason, secrets) : null,
		attempts,
		succeeded,
		failed,
	};
}

/** The statuses of a proxy whose n8n is away, and of n8n while it starts. */
const AWAY: readonly number[] = [404, 502, 503, 504];

function healthState(
	webhook: Webhook,
	{ isFailing, lastSuccess, lastFailure }: AttemptsSummary,
	{ isKnown, isPublished }: HealthFacts,
): HealthState {
	if (webhook.isDisabled) return 'switched off';
	if (isPublished === false) return 'not published';
	const isBack = isPublished === true && AWAY.includes(lastFailure?.status ?? 0);
	if ((isFailing && !isBack) || webhook.misconfiguration !== undefined) return 'failing';
	return isKnown || lastSuccess ? 'ok' : 'unknown address';
}

function reasonOf(state: HealthState, webhook: Webhook, summary: AttemptsSummary): string {
	switch (state) {
		case 'ok':
			return agedIn(summary);
		case 'failing': {
			const fault = webhook.misconfiguration;
			if (fault === undefined) return summary.lastFailure?.reason ?? '';
			return `the webhook ${fault}, so no event reaches the trigger: the next check of the trigger repairs it. If this continues, publish the workflow again`;
		}
		case 'not published':
			return NOT_PUBLISHED;
		case 'unknown address':
			return "your n8n instance doesn't listen at this address: if no other one does, use Delete Leftovers";
		case 'switched off': {
			const { disableReason: said } = webhook;
			const { lastFailure } = summary;
			const why = lastFailure ? `; the latest failed delivery: ${lastFailure.reason}` : '';
			return `the PBX has disabled it${said === undefined ? '' : ` (${said})`}${why}`;
		}
	}
}

function lossIn({ lostAtStart }: AttemptsSummary): string {
	if (lostAtStart === 0) return '';
	return `n8n took ${lostAtStart} of these deliveries while it started, and lost them: add a proxy that waits for /healthz/readiness`;
}

const FAILURE_HOURS = FAILURE_AGE_MS / 3_600_000;

/** Describes a failure that no longer counts, although the PBX logs no later success. */
function agedIn({ lastFailure, isFailing, isDelivering }: AttemptsSummary): string {
	if (!lastFailure || isDelivering) return '';
	const when = isFailing ? 'while n8n was away' : `more than ${FAILURE_HOURS} hours ago`;
	return `the latest delivery that the PBX has logged failed ${when}: ${lastFailure.reason}`;
}

/** Describes why the state isn't certain. */
function doubtOf(summary: AttemptsSummary, fault?: string): string {
	if (fault !== undefined) return `attempts couldn't be read: ${fault}`;
	const { attempts, succeeded, failed } = summary;
	return attempts > 0 && succeeded + failed === 0
		? "the PBX keeps attempts, but this package can't read how they went"
		: '';
}

function eventOf({ hook = '' }: Webhook): string {
	return nameOfHook(hookOfName(hook)) ?? hook;
}

function timeOf(at: number | undefined): string | null {
	return at === undefined ? null : toIso(at);
}
