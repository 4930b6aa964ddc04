/** Registers a cleanup for something that was started. */
export type Later = (cleanup: () => unknown) => void;

/** Runs work that registers cleanups with `later`, then runs these in reverse order, even if the work fails. */
export async function withCleanups<T>(work: (later: Later) => Promise<T>): Promise<T> {
	const cleanups: Array<() => unknown> = [];
	try {
		return await work((cleanup) => cleanups.push(cleanup));
	} finally {
		for (const cleanup of cleanups.reverse()) await cleanup();
	}
}
