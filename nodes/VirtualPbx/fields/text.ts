import type { IDataObject } from 'n8n-workflow';

import { refusal } from './refusal';
import type { Reading } from './refusal';

/**
 * Reads a value that must be a text or number that is not empty.
 *
 * @param label the field as the node shows it
 * @param hint what to do otherwise
 * @returns the text, trimmed
 * @throws NodeOperationError that names the field
 */
export function readText(
	at: Reading,
	value: unknown,
	label: string,
	hint = `Fill in ${label}.`,
): string {
	const isText = ['string', 'number'].includes(typeof (value ?? ''));
	const text = String(value ?? '').trim();
	if (isText && text !== '') return text;
	throw refusal(at, `${label} is ${isText ? 'empty' : 'no text or number'}`, hint);
}

/**
 * Reads an entry of a Filters collection. One that was added but is empty is refused: without it, everything would be
 * given.
 *
 * @returns undefined when the filter is not added
 */
export function readFilter(
	at: Reading,
	filters: IDataObject,
	name: string,
	label: string,
): string | undefined {
	return name in filters ? readText(at, filters[name], label, EMPTY_FILTER) : undefined;
}

/** What to do about a filter that is added, but empty. */
export const EMPTY_FILTER = 'Remove the filter, or give it a value.';
