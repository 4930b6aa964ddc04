import type { Query } from './schemas';

const PREFIX = 'filter_';

/** One `filter_<field>` of a query, its field split at the dots (§4.3). */
export interface Filter {
	path: string[];
	value: string;
}

/** Reads the filters of a query. */
export const filtersOf = (query: Query): Filter[] =>
	Object.entries(query)
		.filter(([name]) => name.startsWith(PREFIX))
		.map(([name, value]) => ({ path: name.slice(PREFIX.length).split('.'), value: String(value) }));

/** Finds a field by its name in any case: `caller_id_number` means `CALLER_ID_NUMBER`. */
function fieldIn(item: object, name: string): unknown {
	const entry =
		Object.entries(item).find(([key]) => key === name) ??
		Object.entries(item).find(([key]) => key.toLowerCase() === name.toLowerCase());
	return entry?.[1];
}

function valueAt(item: unknown, path: string[]): unknown {
	return path.reduce<unknown>(
		(value, name) =>
			value !== null && typeof value === 'object' ? fieldIn(value, name) : undefined,
		item,
	);
}

/** Compares a value with a filter's. */
export type Equals = (value: unknown, wanted: string) => boolean;

const sameText: Equals = (value, wanted) => value !== undefined && String(value) === wanted;

/** Whether an item passes every filter. An array passes if one of its items does. */
export const passes = (item: unknown, filters: Filter[], equals: Equals = sameText): boolean =>
	filters.every(({ path, value: wanted }) => {
		const value = valueAt(item, path);
		return Array.isArray(value) ? value.some((one) => equals(one, wanted)) : equals(value, wanted);
	});
