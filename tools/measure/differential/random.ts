/** A seeded generator of random values. */
export class Random {
	constructor(private state: number) {}

	/** Returns a number from 0 up to, but not including, 1. */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** Returns a whole number from `min` to `max`. */
	whole(min: number, max: number): number {
		return min + Math.floor(this.next() * (max - min + 1));
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<T>(all: readonly T[]): T {
		return all[this.whole(0, all.length - 1)] as T;
	}

	some<T>(all: readonly T[], probability = 0.4): T[] {
		return all.filter(() => this.chance(probability));
	}

	shuffle<T>(all: readonly T[]): T[] {
		return all
			.map((one) => ({ one, at: this.next() }))
			.sort((a, b) => a.at - b.at)
			.map(({ one }) => one);
	}
}
