import { setTimeout as sleep } from 'node:timers/promises';

/** The longest pause. */
const MAX_PAUSE_MS = 1000;

/** Repeats `check`, with growing pauses, until it passes. Throws its last failure if it doesn't pass in time. */
export async function eventually<T>(
	check: () => T | Promise<T>,
	withinMs = 60_000,
	pauseMs = 100,
): Promise<T> {
	const deadline = Date.now() + withinMs;
	for (let pause = pauseMs; ; pause = Math.min(1.25 * pause, MAX_PAUSE_MS)) {
		try {
			return await check();
		} catch (error) {
			if (Date.now() > deadline) throw error;
			await sleep(pause);
		}
	}
}
