import { sleep } from 'n8n-workflow';

import type { Failure } from './failure';

/** How long all requests of one piece of work may take together, where n8n or a person waits for it. */
export interface Budget {
	/** Unix milliseconds at which everything is over; read while requests are under way, so it may be moved up. */
	until: number;
	/** No further request is begun, since the work has been overtaken; one under way may end until `until`. */
	isClosed?: boolean;
	/** What another piece of work has just found out about a PBX that does not answer holds for this one, too. */
	sharesOutages?: boolean;
}

const LOOK_MS = 250;

const OUT_OF_TIME: Failure = {
	kind: 'network',
	words: 'No answer from the PBX in the time that there was for it',
	hint: 'Check that this n8n can reach the PBX, and that the PBX is not overloaded.',
};

/** The same for a request that was not even begun: it tells nothing about the PBX. */
export const NOT_BEGUN: Failure = { ...OUT_OF_TIME };

/** Milliseconds that are left; infinite without a budget, never negative. */
export function timeLeft(budget: Budget | undefined, now = Date.now()): number {
	return budget ? Math.max(0, budget.until - now) : Infinity;
}

/**
 * Waits for a request no longer than the budget allows; what comes of it afterwards is nobody's.
 *
 * @returns what the request gave, or the failure of a PBX that took too long
 */
export async function within<T>(
	budget: Budget | undefined,
	request: () => Promise<T>,
): Promise<T | { failure: Failure }> {
	if (!budget) return await request();
	if (budget.isClosed || timeLeft(budget) === 0) return { failure: NOT_BEGUN };
	const answer = request().then((value) => ({ value }));
	const look = async () => await sleep(Math.min(LOOK_MS, timeLeft(budget)));
	while (timeLeft(budget) > 0) {
		const result = await Promise.race([answer, look()]);
		if (result) return result.value;
	}
	answer.catch(() => undefined);
	return { failure: OUT_OF_TIME };
}
