import { sleep } from 'n8n-workflow';

/**
 * Waits, or returns at once when the execution is cancelled.
 *
 * @param milliseconds how long to wait at most
 * @param signal the execution's cancel signal, if there is one
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	if (signal?.aborted) return;
	if (!signal) {
		await sleep(milliseconds);
		return;
	}
	const cancelled = new Promise<void>((resolve) => {
		signal.addEventListener('abort', () => resolve(), { once: true });
	});
	await Promise.race([sleep(milliseconds), cancelled]);
}
