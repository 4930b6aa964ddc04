import { numberOf } from './sipUri';

/** Tells whether a number, in whichever form it comes, is one of those wanted. */
export type NumberMatch = (value: string) => boolean;

/** One entry of a list; separators within quotes, angle brackets and round ones belong to it. */
const ENTRY = /(?:"[^"\n]*"|<[^>\n]*>|\([^)\n]*\)|[^,;\n])+/g;

/**
 * Reads the numbers that a filter is to let through. Each is a number in any form that `readParty` knows and
 * must match as a whole, or a prefix that ends with `*`. A leading `+` and the signs that people put into numbers (spaces, hyphens, parentheses) do not matter.
 *
 * @param list for example `74951234567, 7916*`: separated by commas, semicolons or line breaks; or an array of such texts
 * @returns the match; undefined when the list names nothing, so that nothing is to be filtered
 */
export function readNumberMatch(list: unknown): NumberMatch | undefined {
	const entries = (Array.isArray(list) ? list : [list])
		.flatMap((entry) =>
			entry === undefined || entry === null ? [] : (String(entry).match(ENTRY) ?? []),
		)
		.map((entry) => entry.trim())
		.filter(Boolean);
	if (entries.length === 0) return undefined;

	const exact = new Set<string>();
	const prefixes: string[] = [];
	for (const entry of entries) {
		if (entry.endsWith('*')) prefixes.push(bare(entry.slice(0, -1)));
		else exact.add(bare(entry));
	}
	return (value) => {
		const number = bare(value);
		return exact.has(number) || prefixes.some((prefix) => number.startsWith(prefix));
	};
}

function bare(value: string): string {
	return numberOf(value)
		.replace(/[\s()-]/g, '')
		.replace(/^\+/, '');
}
