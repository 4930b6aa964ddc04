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

/** How many times one request is sent at most. */
export const ATTEMPTS = 4;

/** How long a request waits for a silent PBX, in milliseconds. Changed by tests only. */
export const SILENCE = {
	/** Until an answer begins. */
	answerMs: 60_000,
	/** Until the answer to a request begins that is not sent again. */
	onlyAnswerMs: 120_000,
	/** Between two pieces of an answer. */
	pieceMs: 60_000,
	/** All of this together, over all tries of a request. */
	inAllMs: 125_000,
	/** Less than this is not worth another try. */
	leastMs: 10_000,
	/** A JSON answer that goes on dripping ends after this. A file may take as long as it needs. */
	wholeMs: 600_000,
};

/** How many reads run at once (measured: the knee is at 20, see docs/decisions.md). */
export const CONCURRENT_READS = 20;
