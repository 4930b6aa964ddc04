import { sleep } from 'n8n-workflow';

import { unlessAborted } from '../values/timeouts';
import type { Failure } from './failure';

/** How many times one request is sent at most, and to a silent PBX. */
const TRIES = 4;
const SILENT_TRIES = 2;
const BASE_DELAY_MS = 400;
const MAX_DELAY_MS = 20_000;
const BUSY = new Set([429, 503, 504]);
const REPEATABLE = new Set(['GET', 'DELETE']);

/**
 * Tells after how many milliseconds a request that was sent so many times is sent again, within the PBX's own
 * `Retry-After`; undefined to give up. GET and DELETE: after 429, 503, 504 and network faults. PUT and POST: only where
 * the request surely did not arrive.
 */
export function retryDelay(failure: Failure, method: string, tries: number): number | undefined {
	if (tries >= (failure.isTimeout ? SILENT_TRIES : TRIES)) return undefined;
	if (!mayRepeat(failure, method)) return undefined;

	if (failure.retryAfterMs !== undefined) {
		return failure.retryAfterMs <= MAX_DELAY_MS ? failure.retryAfterMs : undefined;
	}
	const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (tries - 1));
	return ceiling / 2 + Math.random() * (ceiling / 2);
}

function mayRepeat({ kind, notSent, status = 0 }: Failure, method: string): boolean {
	if (kind === 'network' && notSent) return true;
	return REPEATABLE.has(method) && (kind === 'network' || BUSY.has(status));
}

/** Waits, or returns at once when the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	await unlessAborted(signal, async () => await sleep(milliseconds)).catch(() => undefined);
}
