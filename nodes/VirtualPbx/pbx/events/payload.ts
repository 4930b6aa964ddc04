import type { IDataObject } from 'n8n-workflow';

/** `Call-ID`, `call_id` and `callId` are one name. */
export function plainName(name: string): string {
	return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** Fields of an event by plain name, whatever the case and the separators the platform writes them with. */
export type Fields = ReadonlyMap<string, unknown>;

/** Indexes an object's own fields by plain name; of several spellings of one name the first counts. */
export function fieldsOf(source: object): Fields {
	const fields = new Map<string, unknown>();
	for (const [name, value] of Object.entries(source)) {
		const plain = plainName(name);
		if (!fields.has(plain)) fields.set(plain, value);
	}
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

/** Builds the object that a form stands for: `args[Call-ID]=1` is `{ args: { 'Call-ID': '1' } }`; the last of a name counts. */
export function unflatten(pairs: Iterable<readonly [string, unknown]>): IDataObject {
	const root: Record<string, unknown> = {};
	for (const [name, value] of pairs) put(root, pathOf(name), value);
	return root as IDataObject;
}

/** Whether an object holds form names that are not taken apart yet. */
export function isFlattened(value: object): boolean {
	return Object.keys(value).some((name) => /^[^[\]]+\[[^[\]]*\]/.test(name));
}

const MAX_PATH = 16;

function pathOf(name: string): string[] {
	const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
	if (!match) return [name];
	const path = [match[1] ?? ''];
	// Not all at once: a name may have very many brackets.
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

/** Sets an own field even where its name is `__proto__`. */
function setOwn(target: object, name: string, value: unknown): void {
	Object.defineProperty(target, name, {
		value,
		writable: true,
		enumerable: true,
		configurable: true,
	});
}
