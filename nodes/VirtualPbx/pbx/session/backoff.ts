/** How long to wait after consecutive failures. */
export interface Pace {
	firstMs: number;
	factor: number;
	longestMs: number;
}

/** When something that failed can be tried again. The wait grows with each failure, up to a limit. */
export class Backoff {
	/** The end of the wait, in Unix milliseconds. */
	until = 0;
	/** Why it failed. */
	reason = '';
	private times = 0;

	constructor(private readonly pace: Pace) {}

	/** Whether a try must wait. */
	get isHolding(): boolean {
		return this.until > Date.now();
	}

	/** Records a failure. A failure during a wait doesn't extend it. */
	fail(reason = ''): void {
		if (this.isHolding) return;
		const { firstMs, factor, longestMs } = this.pace;
		const now = Date.now();
		const isLongAgo = now - this.until > longestMs;
		const before = isLongAgo ? 0 : this.times;
		this.until = now + Math.min(longestMs, firstMs * factor ** before);
		this.times = before + 1;
		this.reason = reason;
	}

	/** Records a success. */
	reset(): void {
		this.until = 0;
		this.times = 0;
	}
}
