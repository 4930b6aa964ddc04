/** A map with a bound: beyond it, what was not set for the longest time is forgotten. */
export class LruMap<K, V> {
	private readonly entries = new Map<K, V>();

	/** @param size how many entries it keeps */
	constructor(private readonly size: number) {}

	get(key: K): V | undefined {
		return this.entries.get(key);
	}

	/** Sets an entry, which counts as the newest from now on. */
	set(key: K, value: V): V {
		this.entries.delete(key);
		this.entries.set(key, value);
		const [oldest] = this.entries.keys();
		if (this.entries.size > this.size && oldest !== undefined) this.entries.delete(oldest);
		return value;
	}

	delete(key: K): void {
		this.entries.delete(key);
	}

	clear(): void {
		this.entries.clear();
	}

	/** All values, the oldest first. */
	values(): V[] {
		return [...this.entries.values()];
	}
}
