import { sleep } from 'n8n-workflow';

import type { Failure } from './failure';
import { ATTEMPTS } from './limits';

const BASE_DELAY_MS = 400;
const MAX_DELAY_MS = 20_000;
const BUSY = new Set([429, 503, 504]);
const REPEATABLE = new Set(['GET', 'DELETE']);

/**
 * Decides whether a failed request is sent again, and when.
 * GET and DELETE: after 429, 503, 504 and network faults. PUT and POST: only where the request surely did not
 * arrive. Never after 400, 401, 404, 415.
 *
 * @param attempt how many times it was sent, from 1
 * @returns milliseconds to wait, with jitter and within the PBX's own `Retry-After`; undefined to give up
 */
export function retryDelay(failure: Failure, method: string, attempt: number): number | undefined {
	if (attempt >= ATTEMPTS || !mayRepeat(failure, method)) return undefined;

	if (failure.retryAfterMs !== undefined) {
		return failure.retryAfterMs <= MAX_DELAY_MS ? failure.retryAfterMs : undefined;
	}
	const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
	return ceiling / 2 + Math.random() * (ceiling / 2);
}

/** Tells whether a request may be sent again though it may have arrived. */
export function isRepeatable(method: string): boolean {
	return REPEATABLE.has(method);
}

function mayRepeat(failure: Failure, method: string): boolean {
	if (failure.kind === 'cancelled' || failure.kind === 'refused') return false;
	if (failure.kind === 'network' && failure.notSent) return true;
	if (!isRepeatable(method)) return false;
	return failure.kind === 'network' || BUSY.has(failure.status ?? 0);
}

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
