import type { IDataObject } from 'n8n-workflow';

/** Tells a plain JSON object from arrays, null and everything else. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text or number as text; everything else, and an empty text, as undefined. */
export function asText(value: unknown): string | undefined {
	if (typeof value === 'string') return value === '' ? undefined : value;
	return typeof value === 'number' ? String(value) : undefined;
}
