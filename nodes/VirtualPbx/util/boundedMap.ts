/** A bounded map: when full, it drops the entry that was set the longest ago. */
export class BoundedMap<K, V> {
	private readonly entries = new Map<K, V>();
	/** Kept between calls: a new iterator would walk over all deleted entries at the front. */
	private oldest = this.entries.keys();

	/** @param size how many entries it keeps */
	constructor(private readonly size: number) {}

	get(key: K): V | undefined {
		return this.entries.get(key);
	}

	/** Sets an entry and makes it the newest. */
	set(key: K, value: V): V {
		this.entries.delete(key);
		this.entries.set(key, value);
		if (this.entries.size > this.size) {
			const { value: oldest, done } = this.oldest.next();
			if (!done) this.entries.delete(oldest);
		}
		return value;
	}

	clear(): void {
		this.entries.clear();
		this.oldest = this.entries.keys();
	}

	/** Returns all values, oldest first. */
	values(): V[] {
		return [...this.entries.values()];
	}
}
