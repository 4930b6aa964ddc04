import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import { toIso } from '../../util/time';
import { hookOfName, nameOfHook } from '../events/table';
import { FAILURE_AGE_MS, NOT_PUBLISHED, summarize } from './attempts';
import type { AttemptsSummary } from './attempts';

/** How a registration of the event trigger is. */
export type HealthState = 'failing' | 'not published' | 'ok' | 'switched off' | 'unknown address';

/** What is known of one trigger, for a person or a workflow that watches it: of a registration, or of a record trigger that stopped. */
export interface Health extends IDataObject {
	id: string;
	event: string;
	address: string;
	workflow: string | null;
	state: HealthState | 'not polling';
	/** What is wrong and what to do, or what is not known, in words; empty where all is well. */
	reason: string;
	lastSuccess: string | null;
	lastFailure: string | null;
	lastFailureStatus: number | null;
	lastFailureReason: string | null;
	attempts: number;
	succeeded: number;
	failed: number;
}

/** The health of something of which no delivery is known. */
export function undelivered(
	known: Pick<Health, 'event' | 'workflow' | 'state' | 'reason'>,
): Health {
	return {
		id: '',
		address: '',
		lastSuccess: null,
		lastFailure: null,
		lastFailureStatus: null,
		lastFailureReason: null,
		attempts: 0,
		succeeded: 0,
		failed: 0,
		...known,
	};
}

/**
 * Tells whether the PBX has switched a webhook off, however it says so. What is said plainly decides: a webhook that is on
 * may still show why it was off.
 */
export function isDisabled(webhook: IDataObject): boolean {
	const { enabled, disabled, active, disable_reason: reason } = webhook;
	const isOn = [switchIn(enabled), not(switchIn(disabled)), switchIn(active)];
	const said = isOn.find((one) => one !== undefined);
	if (said !== undefined) return !said;
	const words = [webhook.status, webhook.state].map((word) => asText(word)?.trim() ?? '');
	return words.some((word) => OFF_WORDS.test(word)) || (asText(reason) ?? '') !== '';
}

const OFF_WORDS = /^(?:disabled|deactivated|suspended|inactive|paused|blocked|off)$/i;

function switchIn(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	const text = asText(value)?.trim() ?? '';
	if (/^(?:true|yes|on|1)$/i.test(text)) return true;
	return /^(?:false|no|off|0)$/i.test(text) ? false : undefined;
}

function not(value: boolean | undefined): boolean | undefined {
	return value === undefined ? undefined : !value;
}

/**
 * Returns how a webhook was set so that no event reaches the event trigger, to follow its name: by another method than POST
 * (in any case), or without any attempt. Undefined where nothing that the PBX shows keeps events away.
 */
export function deafnessOf({ http_verb: verb, retries }: IDataObject): string | undefined {
	const method = asText(verb)?.trim().toUpperCase() ?? '';
	if (method !== '' && method !== 'POST')
		return `was set to ${method.slice(0, MAX_METHOD)} instead of POST`;
	return makesNoAttempt(retries) ? 'was set to 0 delivery attempts' : undefined;
}

const MAX_METHOD = 20;

/** `retries` counts the tries: with 0, many a platform sends nothing at all. */
export function makesNoAttempt(retries: unknown): boolean {
	const text = asText(retries)?.trim() ?? '';
	return text !== '' && Number(text) <= 0;
}

/** What is known of a registration beside the webhook itself. */
export interface Evidence {
	/** Its attempts as the PBX logs them. */
	attempts: readonly IDataObject[];
	/** Why its attempts cannot be read, where they cannot. */
	fault?: string | undefined;
	/** When this process last took one of its deliveries, in Unix milliseconds. */
	acceptedAt?: number | undefined;
	/** Whether its address is one of this n8n. */
	isKnown: boolean;
	/** Whether a workflow listens there; undefined where n8n cannot call the address itself. */
	isPublished?: boolean | undefined;
}

/**
 * Judges one registration by what the PBX shows of the whole webhook and logs of its deliveries (§2.5, §4.4). What stops
 * events comes first: switched off, then no workflow that listens, then settings that keep events away or a latest delivery
 * that failed, then an address that nobody knows.
 */
export function healthOf(webhook: IDataObject, evidence: Evidence): Health {
	const summary = summarize(evidence.attempts, evidence.acceptedAt);
	const { attempts, succeeded, failed, lastSuccess, lastFailure } = summary;
	const name = asText(webhook.name) ?? '';
	const state = stateOf(webhook, summary, evidence);
	return {
		id: asText(webhook.id) ?? '',
		event: eventOf(webhook),
		address: asText(webhook.uri) ?? '',
		workflow: workflowIn(name) ?? null,
		state,
		reason: [reasonOf(state, webhook, summary), lossIn(summary), doubtOf(summary, evidence.fault)]
			.filter(Boolean)
			.join('; '),
		lastSuccess: timeOf(lastSuccess?.at),
		lastFailure: timeOf(lastFailure?.at),
		lastFailureStatus: lastFailure?.status ?? null,
		lastFailureReason: lastFailure?.reason ?? null,
		attempts,
		succeeded,
		failed,
	};
}

/** The workflow that a webhook's name tells, as the event trigger names them; undefined for other names. */
export function workflowIn(name: string): string | undefined {
	return /^n8n: ?(.*) \([^()]*\)$/s.exec(name)?.[1];
}

function stateOf(
	webhook: IDataObject,
	{ isFailing, lastSuccess }: AttemptsSummary,
	{ isKnown, isPublished }: Evidence,
): HealthState {
	if (isDisabled(webhook)) return 'switched off';
	if (isPublished === false) return 'not published';
	if (isFailing || deafnessOf(webhook) !== undefined) return 'failing';
	return isKnown || lastSuccess ? 'ok' : 'unknown address';
}

function reasonOf(state: HealthState, webhook: IDataObject, summary: AttemptsSummary): string {
	switch (state) {
		case 'ok':
			return agedIn(summary);
		case 'failing': {
			const deafness = deafnessOf(webhook);
			return deafness === undefined ? (summary.lastFailure?.reason ?? '') : deafWords(deafness);
		}
		case 'not published':
			return NOT_PUBLISHED;
		case 'unknown address':
			return 'this n8n does not listen at this address: if no other n8n does, use Delete Leftovers';
		case 'switched off': {
			const said = asText(webhook.disable_reason)?.slice(0, 200);
			const { lastFailure } = summary;
			const why = lastFailure ? `; the latest failed delivery: ${lastFailure.reason}` : '';
			return `the PBX has disabled it${said === undefined ? '' : ` (${said})`}${why}`;
		}
	}
}

function deafWords(deafness: string): string {
	return `the webhook ${deafness}, so no event reaches the trigger: the next check of the trigger repairs it. If this continues, publish the workflow again`;
}

function lossIn({ lostAtStart }: AttemptsSummary): string {
	if (lostAtStart === 0) return '';
	return `n8n took ${lostAtStart} of these deliveries while it started, and lost them: put a proxy in front of it that asks /healthz/readiness`;
}

const FAILURE_HOURS = FAILURE_AGE_MS / 3_600_000;

/** A failure that no longer counts, although nothing is known to have succeeded since. */
function agedIn({ lastFailure, isFailing, isDelivering }: AttemptsSummary): string {
	if (!lastFailure || isFailing || isDelivering) return '';
	return `the latest delivery that the PBX has logged failed more than ${FAILURE_HOURS} hours ago: ${lastFailure.reason}`;
}

/** What keeps the state from being sure, in words. */
function doubtOf(summary: AttemptsSummary, fault?: string): string {
	if (fault !== undefined) return `attempts could not be read: ${fault}`;
	const { attempts, succeeded, failed } = summary;
	return attempts > 0 && succeeded + failed === 0
		? 'the PBX keeps attempts, but does not say how they went in a way known here'
		: '';
}

function eventOf({ hook }: IDataObject): string {
	const text = asText(hook) ?? '';
	return nameOfHook(hookOfName(text)) ?? text;
}

function timeOf(at: number | undefined): string | null {
	return at === undefined ? null : toIso(at);
}
