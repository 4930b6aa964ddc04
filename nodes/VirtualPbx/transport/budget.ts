/** How long all requests of one piece of work may take together, where n8n or a person waits for it. */
export interface Budget {
	/** Unix milliseconds at which everything is over; read again and again, so it may be moved meanwhile. */
	until: number;
	/** No further request is begun, since the work has been overtaken; one under way may end until `until`. */
	isClosed?: boolean;
	/** What another piece of work has just found out about a PBX that does not answer holds for this one, too. */
	sharesOutages?: boolean;
}

/** Milliseconds that are left; infinite without a budget, never negative. */
export function timeLeft(budget: Budget | undefined, now = Date.now()): number {
	return budget ? Math.max(0, budget.until - now) : Infinity;
}
