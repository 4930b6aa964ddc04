import type { IDataObject } from 'n8n-workflow';

import type { Fields } from './fields';
import { objectOf, plainName } from './fields';
import { isTagKey } from './webhookTag';

/**
 * Returns the custom data of a user's webhook without its tag, wherever the platform put it (§2.5): in an object of
 * its own, or, for the given keys, among the fields.
 */
export function customDataIn(places: readonly Fields[], keys: readonly string[]): IDataObject {
	const data: IDataObject = {};
	for (const place of places) {
		const held = objectOf(place.get('customdata')) ?? {};
		for (const key of Object.keys(held)) if (isCustom(key)) data[key] = held[key];
	}
	for (const key of keys) {
		if (!isCustom(key) || Object.hasOwn(data, key)) continue;
		const value = places
			.map((place) => place.get(plainName(key)))
			.find((found) => found !== undefined);
		if (value !== undefined) data[key] = value as IDataObject[string];
	}
	return data;
}

/** Excludes the tag, and `__proto__`, which would set the prototype. */
function isCustom(key: string): boolean {
	return key !== '__proto__' && !isTagKey(key);
}
