/** Returns a copy of an object without some of its fields. */
export function omit<T extends object, K extends keyof T>(item: T, ...keys: K[]): Omit<T, K> {
	const copy = { ...item };
	for (const key of keys) delete copy[key];
	return copy;
}
