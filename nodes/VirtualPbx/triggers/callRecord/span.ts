import type { IPollFunctions } from 'n8n-workflow';

import type { Budget } from '../../transport/budget';
import { isStartingPoll, startBudget } from '../waiting';

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
/** A person looks at the screen. */
const SAMPLE_MS = 60_000;

/**
 * Tells how long a poll may take: 10 s where n8n's start waits for it, a minute for "Fetch Test Event", else half a minute,
 * or less where n8n gives up earlier.
 *
 * @param place identifies the node in this process
 */
export function spanOf(context: IPollFunctions, place: string): Span {
	const now = Date.now();
	if (context.getMode() === 'manual') {
		return { until: now + SAMPLE_MS, requests: { until: now + SAMPLE_MS }, isAtStart: false };
	}
	if (isStartingPoll(context, place)) {
		const requests = startBudget();
		return { until: requests.until, requests, isAtStart: true };
	}
	const limit = Math.min(LONGEST_MS, context.getPollBudgetMs?.() ?? LONGEST_MS);
	return {
		until: now + Math.min(POLL_MS, 0.8 * limit),
		requests: { until: now + 0.95 * limit },
		isAtStart: false,
	};
}
