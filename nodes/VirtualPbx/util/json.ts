import type { IDataObject } from 'n8n-workflow';

/** Tells a plain JSON object from arrays, null and everything else. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells an object or array from a single value. */
export function isStructure(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

/** Returns the value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The object or array that a JSON text stands for; undefined for any other text. */
export function parseStructure(text: string): object | undefined {
	if (!/^\s*[[{]/.test(text)) return undefined;
	return (parseJson(text) as object | null) ?? undefined;
}

/** A text or number as text; everything else, and an empty text, as undefined. */
export function asText(value: unknown): string | undefined {
	if (typeof value === 'string') return value === '' ? undefined : value;
	return typeof value === 'number' ? String(value) : undefined;
}

/** Takes percent-encoding out of a text; one that is not encoded soundly stays as it is. */
export function percentDecoded(text: string): string {
	if (!text.includes('%')) return text;
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** Reads a switch, which an expression may also set as text or number: `true`, `"true"`, `1` and `"1"` mean on. */
export function isOn(value: unknown): boolean {
	return ['true', '1'].includes(String(value).trim().toLowerCase());
}

/** Makes null of what is undefined, in the object itself: outputs always have every field. */
export function withNulls(fields: Record<string, unknown>): IDataObject {
	for (const name in fields) if (fields[name] === undefined) fields[name] = null;
	return fields as IDataObject;
}

/** Orders texts in either case, as `localeCompare` does, whose first call took half of this package's load time. */
export function compareTexts(a: string, b: string): number {
	const [first, second] = [a.toLowerCase(), b.toLowerCase()];
	if (first === second) return 0;
	return first < second ? -1 : 1;
}
