import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats `check`, with pauses, until it passes. Throws its last failure if it doesn't pass in time. */
export async function eventually<T>(
	check: () => T | Promise<T>,
	withinMs = 60_000,
	pauseMs = 100,
): Promise<T> {
	const deadline = Date.now() + withinMs;
	for (;;) {
		try {
			return await check();
		} catch (error) {
			if (Date.now() > deadline) throw error;
			await sleep(pauseMs);
		}
	}
}
