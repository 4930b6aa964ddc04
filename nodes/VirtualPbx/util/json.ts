import type { IDataObject } from 'n8n-workflow';

/** Returns whether a value is a plain JSON object, not an array or null. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether a value is an object or array. */
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

/** Returns the object or array in a JSON text; undefined for any other text. */
export function parseStructure(text: string): object | undefined {
	if (!/^\s*[[{]/.test(text)) return undefined;
	return (parseJson(text) as object | null) ?? undefined;
}

const MAX_DEPTH = 64;

/**
 * Finds content of a stranger's body that would break other code later. Not recursive, so that no depth can overflow the
 * stack.
 */
export function findFlaw(body: object): string | undefined {
	let level: object[] = [body];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_DEPTH) return `The body is nested deeper than ${MAX_DEPTH} levels`;
		if (level.some((one) => Object.hasOwn(one, '__proto__')))
			return 'The body contains the reserved key __proto__';
		level = level.flatMap((one) => Object.values(one).filter(isStructure));
	}
	return undefined;
}

/** Returns a text or number as text; undefined for an empty text and anything else. */
export function asText(value: unknown): string | undefined {
	if (typeof value === 'string') return value === '' ? undefined : value;
	return typeof value === 'number' ? String(value) : undefined;
}

/** Decodes a percent-encoded text; returns it as is if the encoding is malformed. */
export function percentDecoded(text: string): string {
	if (!text.includes('%')) return text;
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * Returns whether a text can be an ID or a name in the path of a URL: no folder such as `..`, and nothing that
 * separates or encodes, such as the braces of the client's own placeholders.
 */
export function isPathSegment(text: string): boolean {
	return !/^\.{1,2}$|[/\\{}?#%\p{Cc}\p{Cf}\p{Cs}]/u.test(text);
}

/** Reads a switch, which an expression can also set as text or number: `true`, `"true"`, `1`, and `"1"` mean on. */
export function isOn(value: unknown): boolean {
	return ['true', '1'].includes(String(value).trim().toLowerCase());
}

/** Replaces undefined with null, in the object itself, since outputs always have every field. */
export function fillNulls(fields: Record<string, unknown>): IDataObject {
	for (const name in fields) if (fields[name] === undefined) fields[name] = null;
	return fields as IDataObject;
}

export function withoutUndefined(fields: Record<string, unknown>): IDataObject {
	const known = Object.entries(fields).filter(([, value]) => value !== undefined);
	return Object.fromEntries(known) as IDataObject;
}

/**
 * Orders texts without regard to case, like `localeCompare`, whose first call took half of this package's load time.
 */
export function compareTexts(a: string, b: string): number {
	const [first, second] = [a.toLowerCase(), b.toLowerCase()];
	if (first === second) return 0;
	return first < second ? -1 : 1;
}
