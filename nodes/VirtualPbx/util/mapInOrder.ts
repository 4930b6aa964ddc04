/** How many reads run at once (measured: the knee is at 20, see docs/internals/decisions.md). */
export const CONCURRENT_READS = 20;

/**
 * Runs a task for each index, `limit` at once, and returns the results in order. Throws the first failure after all
 * have ended.
 */
export async function mapInOrder<T>(
	count: number,
	limit: number,
	task: (index: number) => Promise<T>,
): Promise<T[]> {
	const results = new Array<T>(count);
	let failure: { error: unknown } | undefined;
	let next = 0;

	const work = async () => {
		while (next < count && !failure) {
			const index = next++;
			try {
				results[index] = await task(index);
			} catch (error) {
				failure ??= { error };
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, count) }, work));

	if (failure) throw failure.error;
	return results;
}
