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

/** Finds the list in an answer: an array, in the envelope (§2.1) or bare; undefined where there is none, also no empty one. */
export function listIn(body: unknown): unknown[] | undefined {
	const payload = unwrap(body);
	return Array.isArray(payload) ? payload : undefined;
}
