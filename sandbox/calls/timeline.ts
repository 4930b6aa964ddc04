import { setTimeout as sleep } from 'node:timers/promises';

/** The clock of one call: converts call seconds to real time, compressed by `speed`. */
export class Timeline {
	private origin = performance.now();
	private position = 0;

	/** With an infinite speed, nothing waits. */
	constructor(readonly speed: number) {}

	/** Seconds of the call so far. */
	get seconds(): number {
		return this.position;
	}

	/** Waits until a second of the call. Returns whether it was reached before `signal`. */
	async until(second: number, signal: AbortSignal): Promise<boolean> {
		if (this.speed === Infinity) this.position = Math.max(second, this.position);
		else if (second > this.position && !signal.aborted) {
			const due = this.origin + (second * 1000) / this.speed;
			await sleep(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {});
			const now = performance.now();
			const passed = ((now - this.origin) * this.speed) / 1000;
			this.position = signal.aborted ? Math.min(second, Math.max(this.position, passed)) : second;
		}
		return !signal.aborted;
	}

	/** Runs work that takes real time, such as asking a web service. Its seconds count uncompressed. */
	async during<T>(work: Promise<T>): Promise<T> {
		const start = performance.now();
		try {
			return await work;
		} finally {
			const now = performance.now();
			this.position += (now - start) / 1000;
			this.origin = now - (this.position * 1000) / this.speed;
		}
	}
}
