/** Notes what ends something that was started. */
export type Later = (cleanup: () => unknown) => void;

/** Runs work that calls `later` after each thing that it starts, and in the end ends these, the last first. */
export async function withCleanups<T>(work: (later: Later) => Promise<T>): Promise<T> {
	const cleanups: Array<() => unknown> = [];
	try {
		return await work((cleanup) => cleanups.push(cleanup));
	} finally {
		for (const cleanup of cleanups.reverse()) await cleanup();
	}
}
