/**
 * A bounded map: keeps the entries that were set last, at least half of its size. Drops the others together, since a
 * Map is slow at deleting its oldest entry.
 */
export class BoundedMap<K, V> {
	private newer = new Map<K, V>();
	private older = new Map<K, V>();

	/** @param size how many entries it keeps at most */
	constructor(private readonly size: number) {}

	get(key: K): V | undefined {
		const value = this.newer.get(key);
		return value === undefined ? this.older.get(key) : value;
	}

	/** Sets an entry, which then counts as new. */
	set(key: K, value: V): V {
		if (this.newer.size >= this.size / 2 && !this.newer.has(key)) {
			this.older = this.newer;
			this.newer = new Map();
		}
		this.newer.set(key, value);
		return value;
	}

	clear(): void {
		this.newer.clear();
		this.older.clear();
	}

	/** Returns all values. */
	values(): V[] {
		return [...new Map([...this.older, ...this.newer]).values()];
	}
}
