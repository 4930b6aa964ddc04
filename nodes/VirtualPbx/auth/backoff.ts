import { LruMap } from '../values/lruMap';

const MOST_KEYS = 500;

interface Hold {
	times: number;
	/** Unix milliseconds. */
	until: number;
}

/** How long to wait after each failure in a row. */
export interface Pace {
	firstMs: number;
	factor: number;
	longestMs: number;
}

/** Remembers, by key, until when something that failed is not tried again: longer after each failure, up to a bound. */
export class Backoff {
	private readonly holds = new LruMap<string, Hold>(MOST_KEYS);

	constructor(private readonly pace: Pace) {}

	/** The end of the wait in Unix milliseconds; undefined where it may be tried. */
	heldUntil(key: string): number | undefined {
		const until = this.holds.get(key)?.until ?? 0;
		return until > Date.now() ? until : undefined;
	}

	/** Records a failure and returns the end of the wait; those during a wait do not extend it. */
	fail(key: string): number {
		const held = this.heldUntil(key);
		if (held !== undefined) return held;
		const { firstMs, factor, longestMs } = this.pace;
		const now = Date.now();
		const { times = 0, until = now } = this.holds.get(key) ?? {};
		const isLongAgo = now - until > longestMs;
		const before = isLongAgo ? 0 : times;
		const wait = Math.min(longestMs, firstMs * factor ** before);
		return this.holds.set(key, { times: before + 1, until: now + wait }).until;
	}

	forget(key: string): void {
		this.holds.delete(key);
	}

	clear(): void {
		this.holds.clear();
	}
}
