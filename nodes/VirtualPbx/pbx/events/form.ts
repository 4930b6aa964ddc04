import type { IDataObject } from 'n8n-workflow';

/**
 * Builds the object behind a form: `args[Call-ID]=1` is `{ args: { 'Call-ID': '1' } }`. If a name repeats, the last
 * counts.
 */
export function unflatten(pairs: Iterable<readonly [string, unknown]>): IDataObject {
	const root: Record<string, unknown> = {};
	for (const [name, value] of pairs) put(root, pathOf(name), value);
	return root as IDataObject;
}

/** Returns whether an object has form keys that {@link unflatten} can split. */
export function isFlattened(value: object): boolean {
	return Object.keys(value).some((name) => /^[^[\]]+\[[^[\]]*\]/.test(name));
}

const MAX_PATH = 16;

function pathOf(name: string): string[] {
	const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
	if (!match) return [name];
	const path = [match[1] ?? ''];
	// Lazily, since a name can have thousands of brackets.
	for (const [, part = ''] of (match[2] ?? '').matchAll(/\[([^[\]]*)\]/g))
		if (path.push(part) === MAX_PATH) break;
	return path;
}

function put(root: Record<string, unknown>, path: string[], value: unknown): void {
	let place = root;
	path.forEach((part, index) => {
		if (index === path.length - 1) {
			setOwn(place, part, value);
			return;
		}
		const next = Object.hasOwn(place, part) ? place[part] : undefined;
		const child =
			typeof next === 'object' && next !== null ? (next as Record<string, unknown>) : {};
		setOwn(place, part, child);
		place = child;
	});
}

/** Sets an own field, even one named `__proto__`. */
function setOwn(target: object, name: string, value: unknown): void {
	Object.defineProperty(target, name, {
		value,
		writable: true,
		enumerable: true,
		configurable: true,
	});
}
