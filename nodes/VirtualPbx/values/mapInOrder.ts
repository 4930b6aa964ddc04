/** How many reads run at once (measured: the knee is at 20, see docs/internals/decisions.md). */
export const CONCURRENT_READS = 20;

/**
 * Runs a task for each index, `limit` at once (1 keeps strict order), and gives the results in order. After the first
 * failure nothing new is started, and that failure is thrown once what runs has ended.
 */
export async function mapInOrder<T>(
	count: number,
	limit: number,
	task: (index: number) => Promise<T>,
): Promise<T[]> {
	const results = new Array<T>(count);
	const failures = new Map<number, unknown>();
	let next = 0;

	const work = async () => {
		while (next < count && failures.size === 0) {
			const index = next++;
			try {
				results[index] = await task(index);
			} catch (error) {
				failures.set(index, error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, count) }, work));

	if (failures.size > 0) throw firstOf(failures);
	return results;
}

function firstOf(failures: Map<number, unknown>): unknown {
	return failures.get(Math.min(...failures.keys()));
}
