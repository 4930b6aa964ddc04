import { refusal } from './refusal';
import type { Reading } from './refusal';

/**
 * Reads a list of texts: an array from an expression, a JSON array as text, or text with a separator.
 *
 * @param value what the parameter holds
 * @param label the field as the node shows it
 * @param separator what stands between two entries in text; one at the very end is forgiven
 * @returns the entries, trimmed, without doubles; an empty array only for an empty array
 * @throws NodeOperationError when an entry is empty or no text or number
 */
export function readTextList(
	at: Reading,
	value: unknown,
	label: string,
	separator: RegExp,
): string[] {
	const list = typeof value === 'string' ? split(value, separator) : [value].flat();
	const entries = list.map(asEntry);
	if (entries.every(Boolean)) return [...new Set(entries as string[])];
	throw refusal(
		at,
		`${label} holds an ${entries.includes(undefined) ? 'entry that is no text or number' : 'empty entry'}`,
		`Fill it in or remove it. To set none at all, use the expression {{ [] }}.`,
	);
}

function split(text: string, separator: RegExp): unknown[] {
	const trimmed = text.trim();
	if (/^\[\s*(".*")?\s*\]$/s.test(trimmed)) {
		try {
			return JSON.parse(trimmed) as unknown[];
		} catch {
			return [trimmed];
		}
	}
	const entries = trimmed.split(separator);
	return entries.length > 1 && entries.at(-1)?.trim() === '' ? entries.slice(0, -1) : entries;
}

function asEntry(entry: unknown): string | undefined {
	return ['string', 'number'].includes(typeof (entry ?? ''))
		? String(entry ?? '').trim()
		: undefined;
}
