import { asText } from '../../util/json';
import type { PbxError } from '../errors/pbxError';

/** How often a request is sent at most, in general and to a silent PBX. */
const TRIES = 4;
const SILENT_TRIES = 2;
const BASE_DELAY_MS = 400;
const MAX_DELAY_MS = 20_000;
const BUSY = new Set([429, 503, 504]);
const REPEATABLE = new Set(['GET', 'DELETE']);

/**
 * Returns the delay in milliseconds before the next try, respecting the PBX's `Retry-After`; undefined to give up.
 * GET and DELETE are retried after 429, 503, 504, and network faults. PUT and POST are retried only if the request
 * definitely didn't arrive.
 */
export function retryDelay(
	{ details }: PbxError,
	method: string,
	tries: number,
): number | undefined {
	const { kind, notSent, status = 0, retryAfterMs, isTimeout } = details;
	if (tries >= (isTimeout ? SILENT_TRIES : TRIES)) return undefined;
	const mayRepeat =
		(kind === 'network' && notSent) ||
		(REPEATABLE.has(method) && (kind === 'network' || BUSY.has(status)));
	if (!mayRepeat) return undefined;

	if (retryAfterMs !== undefined) return retryAfterMs <= MAX_DELAY_MS ? retryAfterMs : undefined;
	const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (tries - 1));
	return ceiling / 2 + Math.random() * (ceiling / 2);
}

/**
 * Converts a `Retry-After` header, seconds or an HTTP date, to milliseconds from now; undefined if absent or
 * malformed.
 */
export function readRetryAfter(value: unknown, now = Date.now()): number | undefined {
	const text = asText(value)?.trim() ?? '';
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
