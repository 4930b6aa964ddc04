import type { IDataObject } from 'n8n-workflow';

import { asText } from '../../util/json';
import { toIso } from '../../util/time';
import { hookOfName, nameOfHook } from '../events/table';
import { FAILURE_AGE_MS, NOT_PUBLISHED, summarize } from './attempts';
import type { AttemptsSummary } from './attempts';

/** The state of an event trigger's registration. */
export type HealthState = 'failing' | 'not published' | 'ok' | 'switched off' | 'unknown address';

/**
 * The health of one trigger, for a person or a workflow that monitors it: an event trigger's registration, or a
 * record trigger that stopped.
 */
export interface Health extends IDataObject {
	id: string;
	event: string;
	address: string;
	workflow: string | null;
	state: HealthState | 'not polling';
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

/** Returns the health of a trigger without known deliveries. */
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
 * Returns whether the PBX has disabled a webhook, in any form that PBXs report it. An explicit switch decides: an
 * enabled webhook can still show why it was disabled.
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
 * Describes a setting that keeps events from the event trigger, to follow the webhook's name: a method other than
 * POST (in any case), or no delivery attempts. Undefined if the PBX shows no such setting.
 */
export function deafnessOf({ http_verb: verb, retries }: IDataObject): string | undefined {
	const method = asText(verb)?.trim().toUpperCase() ?? '';
	if (method !== '' && method !== 'POST')
		return `was set to ${method.slice(0, MAX_METHOD)} instead of POST`;
	return makesNoAttempt(retries) ? 'was set to 0 delivery attempts' : undefined;
}

const MAX_METHOD = 20;

/**
 * Returns whether a webhook never sends anything: `retries` counts all tries, and at 0, many platforms send nothing.
 */
export function makesNoAttempt(retries: unknown): boolean {
	const text = asText(retries)?.trim() ?? '';
	return text !== '' && Number(text) <= 0;
}

/** Facts about a registration besides the webhook itself. */
export interface Evidence {
	/** Its attempts as the PBX logs them. */
	attempts: readonly IDataObject[];
	/** Why its attempts can't be read, if so. */
	fault?: string | undefined;
	/** When this process last accepted one of its deliveries, in Unix milliseconds. */
	acceptedAt?: number | undefined;
	/** Whether the address belongs to this n8n instance. */
	isKnown: boolean;
	/** Whether a workflow listens there; undefined if n8n can't call the address itself. */
	isPublished?: boolean | undefined;
}

/**
 * Judges a registration by its full webhook and its log of deliveries (§2.5, §4.4). The most serious problem comes
 * first: disabled, then no listening workflow, then settings that keep events away or a failed latest delivery, then
 * an unknown address.
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

/** Returns the workflow in a webhook's name, as written by the event trigger; undefined for other names. */
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
			return "your n8n instance doesn't listen at this address: if no other one does, use Delete Leftovers";
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
	return `n8n took ${lostAtStart} of these deliveries while it started, and lost them: add a proxy that waits for /healthz/readiness`;
}

const FAILURE_HOURS = FAILURE_AGE_MS / 3_600_000;

/** Describes a failure that no longer counts, although no later success is known. */
function agedIn({ lastFailure, isFailing, isDelivering }: AttemptsSummary): string {
	if (!lastFailure || isFailing || isDelivering) return '';
	return `the latest delivery that the PBX has logged failed more than ${FAILURE_HOURS} hours ago: ${lastFailure.reason}`;
}

/** Describes why the state isn't certain. */
function doubtOf(summary: AttemptsSummary, fault?: string): string {
	if (fault !== undefined) return `attempts couldn't be read: ${fault}`;
	const { attempts, succeeded, failed } = summary;
	return attempts > 0 && succeeded + failed === 0
		? "the PBX keeps attempts, but this package can't read how they went"
		: '';
}

function eventOf({ hook }: IDataObject): string {
	const text = asText(hook) ?? '';
	return nameOfHook(hookOfName(text)) ?? text;
}

function timeOf(at: number | undefined): string | null {
	return at === undefined ? null : toIso(at);
}
