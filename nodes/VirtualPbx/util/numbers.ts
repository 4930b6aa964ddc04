import { bareNumber, numberOf } from './party';
import { toE164 } from './phone';

/** Returns whether a number, in any form, is a wanted one. */
export type NumberMatch = (value: string) => boolean;

/** The closing character for each opening one. Separators in between belong to the entry. */
const CLOSERS: Record<string, string> = { '"': '"', '<': '>', '(': ')' };

/**
 * Parses a number filter such as `74951234567, 7916*`: full numbers in any form that `readParty` knows, or prefixes
 * with `*`. Ignores punctuation in numbers. With a country, they also match in E.164. Undefined if the list is empty.
 */
export function readNumberMatch(list: unknown, country?: string): NumberMatch | undefined {
	const entries = [list].flat().flatMap(entriesOf);
	if (entries.length === 0) return undefined;

	const exact = new Set<string>();
	const prefixes: string[] = [];
	for (const entry of entries) {
		if (entry.endsWith('*')) prefixes.push(bareNumber(entry.slice(0, -1)));
		else for (const form of formsOf(entry, country)) exact.add(form);
	}
	return (value) =>
		formsOf(value, country).some(
			(form) => exact.has(form) || prefixes.some((prefix) => form.startsWith(prefix)),
		);
}

/** Finds an entry of such a list that can't be a number: without a letter or digit, or neither text nor number. */
export function findInvalidNumber(list: unknown): string | undefined {
	const given = [list].flat().filter((entry) => entry !== undefined && entry !== null);
	const odd = given.find((entry) => !['string', 'number'].includes(typeof entry));
	if (odd !== undefined) return JSON.stringify(odd);
	return given.flatMap(entriesOf).find((entry) => !/[\p{L}\d]/u.test(entry));
}

function entriesOf(entry: unknown): string[] {
	return String(entry ?? '')
		.split('\n')
		.flatMap(entriesIn);
}

/**
 * Splits a line at `,` and `;`, in linear time: the position of the last closing character shows what is never
 * closed.
 */
function entriesIn(line: string): string[] {
	const lasts = new Map(Object.values(CLOSERS).map((sign) => [sign, line.lastIndexOf(sign)]));
	const entries: string[] = [];
	let from = 0;
	const add = (to: number) => {
		const entry = line.slice(from, to).trim();
		if (entry !== '') entries.push(entry);
		from = to + 1;
	};
	for (let index = 0; index < line.length; index++) {
		const sign = line.charAt(index);
		const closer = CLOSERS[sign];
		// An opening character that is never closed is an ordinary one.
		if (closer !== undefined && (lasts.get(closer) ?? -1) > index)
			index = line.indexOf(closer, index + 1);
		else if (sign === ',' || sign === ';') add(index);
	}
	add(line.length);
	return entries;
}

/** Returns a number as written and, if the country allows, in E.164, both without punctuation. */
function formsOf(value: string, country: string | undefined): string[] {
	const known = country === undefined ? undefined : toE164(numberOf(value), country);
	return known === undefined ? [bareNumber(value)] : [bareNumber(value), known.slice(1)];
}

/** Returns a key that is equal for all forms of a number: E.164 if the country allows. */
export function numberKey(value: string, country: string | undefined): string {
	return formsOf(value, country).at(-1) ?? '';
}
