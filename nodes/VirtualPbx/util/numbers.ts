import { bareNumber, numberOf } from './party';
import { toE164 } from './phone/parse';

/** Returns whether a number, in whichever form, is one of those wanted. */
export type NumberMatch = (value: string) => boolean;

/** What ends what a sign opens in an entry of a list, in which separators belong to it. */
const CLOSERS: Record<string, string> = { '"': '"', '<': '>', '(': ')' };

/**
 * Reads the numbers that a filter lets through, such as `74951234567, 7916*`: whole ones in any form that `readParty`
 * knows, or prefixes with `*`; signs that people put into numbers do not matter. With a country, they also match in
 * E.164. Undefined where nothing is named.
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

/** Finds the entry of such a list that can be no number: one without a letter or digit, or no text or number at all. */
export function findNoNumber(list: unknown): string | undefined {
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

/** Splits a line at `,` and `;`, in linear time: what is never closed is known by the last closing signs. */
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
		// A sign that is never closed is like any other.
		if (closer !== undefined && (lasts.get(closer) ?? -1) > index)
			index = line.indexOf(closer, index + 1);
		else if (sign === ',' || sign === ';') add(index);
	}
	add(line.length);
	return entries;
}

/** A number as it stands and, where the country tells it, in E.164; both without signs. */
function formsOf(value: string, country: string | undefined): string[] {
	const known = country === undefined ? undefined : toE164(numberOf(value), country);
	return known === undefined ? [bareNumber(value)] : [bareNumber(value), known.slice(1)];
}

/** A text that is the same for all forms of a number: in E.164 where the country tells it. */
export function sameNumber(value: string, country: string | undefined): string {
	return formsOf(value, country).at(-1) ?? '';
}
