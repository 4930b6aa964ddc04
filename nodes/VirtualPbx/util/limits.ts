/** How many reads run at once (measured: the knee is at 20, see docs/internals/decisions.md). */
export const CONCURRENT_READS = 20;

/**
 * Runs a task for each item, `limit` at once, and returns the results in order. Throws the first failure after all have
 * ended.
 */
export async function mapInOrder<T, Result>(
	items: readonly T[],
	limit: number,
	task: (item: T, index: number) => Promise<Result>,
): Promise<Result[]> {
	const results = new Array<Result>(items.length);
	let failure: { error: unknown } | undefined;
	let next = 0;

	const work = async () => {
		while (next < items.length && !failure) {
			const index = next++;
			try {
				results[index] = await task(items[index] as T, index);
			} catch (error) {
				failure ??= { error };
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));

	if (failure) throw failure.error;
	return results;
}

/** Waits for work, which doesn't start if the signal has already aborted. Throws the signal's reason when it aborts. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
	signal.throwIfAborted();
	let abort: () => void = () => undefined;
	const aborted = new Promise<never>((_, reject) => {
		abort = () => reject(signal.reason as Error);
	});
	signal.addEventListener('abort', abort);
	try {
		return await Promise.race([work(), aborted]);
	} finally {
		signal.removeEventListener('abort', abort);
	}
}

/** Waits the given milliseconds, or until the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	const over = AbortSignal.timeout(Math.ceil(milliseconds));
	const waiting = async () =>
		await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
	await unlessAborted(signal, waiting).catch(() => undefined);
}

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

	values(): V[] {
		return [...new Map([...this.older, ...this.newer]).values()];
	}
}
