import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';
import type { Reading } from './refusal';

/**
 * Reads the fields that the user named: those added to a collection, and those at the top level that are filled in.
 *
 * @param collection name of the collection
 * @param topLevel names of fields that stand outside; an empty text there means not named
 * @returns the values as they stand, by name
 */
export function readFields(
	at: Reading,
	collection: string,
	topLevel: readonly string[] = [],
): IDataObject {
	const { context, itemIndex } = at;
	const added = context.getNodeParameter(collection, itemIndex, {});
	const filledIn = topLevel
		.map((name) => [name, context.getNodeParameter(name, itemIndex, '')] as const)
		.filter(([, value]) => value !== '');
	return { ...(isObject(added) ? added : {}), ...Object.fromEntries(filledIn) } as IDataObject;
}
