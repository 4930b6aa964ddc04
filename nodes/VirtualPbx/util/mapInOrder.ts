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
