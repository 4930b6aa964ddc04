import { isObject } from '../values/json';

/**
 * Takes the payload out of the envelope (§2.1); an answer without one is its own payload.
 *
 * @param body a JSON answer of any shape
 */
export function unwrap(body: unknown): unknown {
	return isObject(body) && 'data' in body ? body.data : body;
}

/**
 * Finds the list in an answer: an array in the envelope (§2.1) or bare, objects keyed by id, or the only array, which must
 * be one of objects. Entries that are keyed and hold no id get their key.
 *
 * @returns undefined where there is none, which does not mean that the list is empty
 */
export function listIn(body: unknown): unknown[] | undefined {
	const payload = unwrap(body);
	if (Array.isArray(payload)) return payload;
	if (!isObject(payload)) return undefined;
	const names = Object.keys(payload).filter((name) => !/^errors?$/.test(name));
	const values = names.map((name) => payload[name]);
	if (values.length > 0 && values.every(isObject)) return withIds(names, values);
	const [only, ...others] = values.filter((value) => Array.isArray(value));
	return others.length === 0 && only?.every(isObject) ? only : undefined;
}

/** What an envelope (§2.1) may hold beside the payload. */
const ENVELOPE =
	/^(?:auth_token|node|page_size|request_id|revision|start_key|status|timestamp|version)$/;

/**
 * Tells whether an answer that is a success holds nothing at all: no body, an envelope alone, or one around nothing. Some
 * platforms show an empty list so.
 */
export function holdsNothing(body: unknown): boolean {
	const payload = unwrap(body);
	if (!isObject(payload)) return payload === undefined || payload === null || payload === '';
	return Object.keys(payload).every((name) => payload === body && ENVELOPE.test(name));
}

function withIds(keys: readonly string[], entries: readonly object[]): unknown[] {
	if (entries.some((entry) => ID_NAMES.some((name) => name in entry))) return [...entries];
	return entries.map((entry, index) => ({ id: keys[index], ...entry }));
}

const ID_NAMES = ['id', '_id', 'webhook_id'];
