import type { IDataObject } from 'n8n-workflow';

import { toIso } from '../../util/time';
import { hookOfName, nameOfHook } from '../events/table';
import { findTagTexts } from '../events/webhookTag';
import { blankSecrets } from '../redact';
import type { AttemptsSummary } from './attempts';
import { FAILURE_AGE_MS, NOT_PUBLISHED, summarize } from './attempts';
import type { Webhook } from './webhooks';

/** The state of an event trigger's registration. */
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
