/** How many entries the logs and the small CRM keep. */
export const LOG_SIZE = 5000;

/** A log whose new entries replace the oldest, and whose counters count all. */
export class Log<T, C extends object = object> {
	private entries: T[] = [];
	private counts: C | undefined;

	constructor(
		private readonly size = LOG_SIZE,
		private readonly none?: () => C,
		private readonly count?: (counts: C, entry: T) => void,
	) {
		this.clear();
	}

	push(entry: T): void {
		this.entries.push(entry);
		if (this.entries.length > this.size) this.entries.shift();
		if (this.counts) this.count?.(this.counts, entry);
	}

	/** Returns the entries, oldest first. */
	list(): T[] {
		return [...this.entries];
	}

	counters(): C {
		return structuredClone(this.counts as C);
	}

	clear(): void {
		this.entries = [];
		this.counts = this.none?.();
	}
}
