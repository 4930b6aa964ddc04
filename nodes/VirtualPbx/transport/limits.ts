/** How many times one request is sent at most. */
export const ATTEMPTS = 4;

/** How long one request may take, in milliseconds; lists of call records can be long. */
export const REQUEST_TIMEOUT_MS = 120_000;

/** How many reads run at once (measured: the knee is at 20, see docs/decisions.md). */
export const CONCURRENT_READS = 20;
