import type { IDataObject } from 'n8n-workflow';

/**
 * Builds the object that a form-encoded delivery stands for: `args[Call-ID]=1` becomes `{ args: { 'Call-ID': '1' } }`.
 *
 * @param pairs names and values as they came; a repeated name keeps its last value
 */
export function unflatten(pairs: Iterable<readonly [string, unknown]>): IDataObject {
	const root: Record<string, unknown> = {};
	for (const [name, value] of pairs) put(root, pathOf(name), value);
	return root as IDataObject;
}

/** Tells whether an object holds form names that are not taken apart yet. */
export function isFlattened(value: object): boolean {
	return Object.keys(value).some((name) => /^[^[\]]+\[[^[\]]*\]/.test(name));
}

function pathOf(name: string): string[] {
	const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
	if (!match) return [name];
	const inner = [...(match[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map(([, part]) => part ?? '');
	return [match[1] ?? '', ...inner].slice(0, 16);
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

/** Sets an own field even where its name is `__proto__`. */
function setOwn(target: object, name: string, value: unknown): void {
	Object.defineProperty(target, name, {
		value,
		writable: true,
		enumerable: true,
		configurable: true,
	});
}
