/** A map with a bound: beyond it, what was not set for the longest time is forgotten. */
export class LruMap<K, V> {
	private readonly entries = new Map<K, V>();
	/** Kept, since a new iterator would walk over all that was deleted at the front. */
	private oldest = this.entries.keys();

	/** @param size how many entries it keeps */
	constructor(private readonly size: number) {}

	get(key: K): V | undefined {
		return this.entries.get(key);
	}

	/** Sets an entry, which counts as the newest from now on. */
	set(key: K, value: V): V {
		this.entries.delete(key);
		this.entries.set(key, value);
		if (this.entries.size > this.size) {
			const { value: oldest, done } = this.oldest.next();
			if (!done) this.entries.delete(oldest);
		}
		return value;
	}

	delete(key: K): void {
		this.entries.delete(key);
	}

	clear(): void {
		this.entries.clear();
		this.oldest = this.entries.keys();
	}

	/** All values, the oldest first. */
	values(): V[] {
		return [...this.entries.values()];
	}
}
