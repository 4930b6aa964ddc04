import type { IPollFunctions } from 'n8n-workflow';

import type { Budget } from '../../transport/limits';
import type { Pbx } from '../../transport/pbx';
import { personBudget, startBudget, whoWaits } from '../waiting';
import type { Settings } from './settings';

/** What a poll works with. */
export interface Work {
	context: IPollFunctions;
	/** For lists; its requests end with the poll. */
	pbx: Pbx;
	/** For recordings, whose downloads may outlive the poll. */
	files: Pbx;
	settings: Settings;
	span: Span;
	/** Identifies the node and what it asks for in this process. */
	place: string;
	/** Waits so many milliseconds. */
	wait: (milliseconds: number) => Promise<void>;
}

/** How long a poll may take. */
export interface Span {
	/** Unix milliseconds from which on nothing new is begun; what was found until then is given. */
	until: number;
	/** Within this all requests of a poll end, so that one of them which takes long still comes to its end. */
	requests: Budget;
	/** All workflows of n8n wait for this poll. */
	isAtStart: boolean;
}

const POLL_MS = 30_000;
/** n8n's own limit where it names none. */
const LONGEST_MS = 300_000;
/**
 * Tells how long a poll may take: 10 s where n8n's start waits for it, a minute for "Fetch Test Event", else half a minute,
 * or less where n8n gives up earlier.
 *
 * @param place identifies the node in this process
 */
export function spanOf(context: IPollFunctions, place: string): Span {
	if (context.getMode() === 'manual') return endingWith(personBudget());
	const waiting = whoWaits(context, place);
	if (waiting === 'start') return { ...endingWith(startBudget()), isAtStart: true };

	const now = Date.now();
	const limit = Math.min(LONGEST_MS, context.getPollBudgetMs?.() ?? LONGEST_MS);
	const end = now + 0.95 * limit;
	return {
		until: now + Math.min(POLL_MS, 0.8 * limit),
		requests: { until: waiting === 'person' ? Math.min(end, personBudget().until) : end },
		isAtStart: false,
	};
}

function endingWith(requests: Budget): Span {
	return { until: requests.until, requests, isAtStart: false };
}
