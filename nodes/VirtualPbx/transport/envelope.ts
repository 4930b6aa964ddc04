import type { IDataObject } from 'n8n-workflow';

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
 * be one of objects.
 *
 * @returns undefined where there is none, which does not mean that the list is empty
 */
export function listIn(body: unknown): unknown[] | undefined {
	const payload = unwrap(body);
	if (Array.isArray(payload)) return payload;
	if (!isObject(payload)) return undefined;
	const names = Object.keys(payload).filter((name) => !/^errors?$/.test(name));
	const values = names.map((name) => payload[name]);
	if (values.length > 0 && values.every(isObject)) return values;
	const [only, ...others] = values.filter((value) => Array.isArray(value));
	return others.length === 0 && only?.every(isObject) ? only : undefined;
}

/**
 * Gives the entries of a list that is keyed by ID their ID, where they do not say it themselves. Keys that only count are
 * none.
 *
 * @returns the answer itself where there is no such list
 */
export function withKeysAsIds(body: unknown): unknown {
	const payload = unwrap(body);
	if (!isObject(payload) || !Object.values(payload).every(isObject)) return body;
	const isCounted = Object.keys(payload).every((key, index) =>
		[index, index + 1].includes(Number(key)),
	);
	if (isCounted) return body;
	const entries = Object.entries(payload as Record<string, IDataObject>).map(([id, entry]) =>
		'_id' in entry || 'webhook_id' in entry ? entry : { id, ...entry },
	);
	return payload === body ? entries : { ...(body as IDataObject), data: entries };
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
