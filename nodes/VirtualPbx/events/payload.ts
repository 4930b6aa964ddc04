import type { IDataObject } from 'n8n-workflow';

/** Fields of an event by name, whatever the case and the separators the platform writes them with. */
export type Fields = ReadonlyMap<string, unknown>;

/** Names seen before: every event has the same ones, and making one plain takes longer than looking it up. */
const plainNames = new Map<string, string>();
const MOST_NAMES = 1000;

/** `Call-ID`, `call_id` and `callId` are one name. */
export function plainName(name: string): string {
	const known = plainNames.get(name);
	if (known !== undefined) return known;
	const plain = name.toLowerCase().replace(/[-_\s]/g, '');
	if (plainNames.size < MOST_NAMES && name.length < 99) plainNames.set(name, plain);
	return plain;
}

/** Indexes an object's own fields by plain name; of several spellings of one name the first counts. */
export function fieldsOf(source: object): Fields {
	const fields = new Map<string, unknown>();
	const values: unknown[] = Object.values(source).reverse();
	// From the last to the first, so that of several spellings the first stays.
	Object.keys(source)
		.reverse()
		.forEach((name, index) => fields.set(plainName(name), values[index]));
	return fields;
}

/** A field as trimmed text; undefined when it is absent, empty, or no text or number. */
export function textField(fields: Fields, name: string): string | undefined {
	const value = fields.get(plainName(name));
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	return text === '' ? undefined : text;
}

/** A field as a number of seconds: §6 sends them as strings; undefined when it is none, or negative. */
export function secondsField(fields: Fields, name: string): number | undefined {
	const text = textField(fields, name);
	if (text === undefined) return undefined;
	const seconds = Number(text);
	return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

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
