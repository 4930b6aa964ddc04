/** Notes what ends something that was started. */
export type Later = (cleanup: () => unknown) => void;

/**
 * Runs work that starts things one after the other, and ends what it has started, the last first, whether the work
 * succeeds or fails halfway.
 *
 * @param work is handed `later`, to be called after each start
 */
export async function withCleanups<T>(work: (later: Later) => Promise<T>): Promise<T> {
	const cleanups: Array<() => unknown> = [];
	try {
		return await work((cleanup) => cleanups.push(cleanup));
	} finally {
		for (const cleanup of cleanups.reverse()) await cleanup();
	}
}
