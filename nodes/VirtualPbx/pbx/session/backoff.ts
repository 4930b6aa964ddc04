import { BoundedMap } from '../../util/boundedMap';

const MOST_KEYS = 500;

/** A wait after a failure. */
export interface Hold {
	times: number;
	/** Unix milliseconds. */
	until: number;
	reason: string;
}

/** How long to wait after consecutive failures. */
export interface Pace {
	firstMs: number;
	factor: number;
	longestMs: number;
}

/**
 * Remembers, by key, when something that failed can be tried again. The wait grows with each failure, up to a limit.
 */
export class Backoff {
	private readonly holds = new BoundedMap<string, Hold>(MOST_KEYS);

	constructor(private readonly pace: Pace) {}

	/** Returns the current wait; undefined if a try is allowed. */
	holdOf(key: string): Hold | undefined {
		const hold = this.holds.get(key);
		return hold && hold.until > Date.now() ? hold : undefined;
	}

	/** Records a failure and returns the end of the wait. A failure during a wait doesn't extend it. */
	fail(key: string, reason = ''): number {
		const held = this.holdOf(key);
		if (held) return held.until;
		const { firstMs, factor, longestMs } = this.pace;
		const now = Date.now();
		const { times = 0, until = now } = this.holds.get(key) ?? {};
		const isLongAgo = now - until > longestMs;
		const before = isLongAgo ? 0 : times;
		const wait = Math.min(longestMs, firstMs * factor ** before);
		return this.holds.set(key, { times: before + 1, until: now + wait, reason }).until;
	}

	forget(key: string): void {
		this.holds.delete(key);
	}

	clear(): void {
		this.holds.clear();
	}
}
