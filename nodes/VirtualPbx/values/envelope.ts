import { isObject } from './json';

/**
 * Takes the payload out of the envelope (§2.1); an answer without one is its own payload.
 *
 * @param body a JSON answer of any shape
 */
export function unwrap(body: unknown): unknown {
	return isObject(body) && 'data' in body ? body.data : body;
}

/** Tells whether an envelope (§2.1) is there and empty: nothing or an empty object is in the place of the payload. */
export function holdsNothing(body: unknown): boolean {
	const payload = unwrap(body);
	if (payload === body) return false;
	return payload === null || (isObject(payload) && Object.keys(payload).length === 0);
}

/**
 * Finds the list in an answer: an array, in the envelope (§2.1) or bare; or in the envelope objects keyed by ID, which get it
 * as their `id`.
 *
 * @returns undefined where there is none, which does not mean that the list is empty
 */
export function listIn(body: unknown): unknown[] | undefined {
	const payload = unwrap(body);
	if (Array.isArray(payload)) return payload;
	if (payload === body || !isObject(payload)) return undefined;
	const entries = Object.entries(payload);
	if (entries.length === 0 || !entries.every(([, entry]) => isObject(entry))) return undefined;
	return entries.map(([id, entry]) => ({ id, ...(entry as object) }));
}
