import { compareTexts } from '../json';
import { COUNTRIES } from './countries';

/** A choice in a list of countries. */
export interface CountryOption {
	name: string;
	value: string;
}

const OPTIONS: readonly CountryOption[] = COUNTRIES.trim()
	.split(/; |\n/)
	.map((entry) => ({ name: entry.slice(3), value: entry.slice(0, 2) }));

const KNOWN = new Set(OPTIONS.map(({ value }) => value));

/** Returns the known countries and the other choices, sorted by English name. */
export function countryOptions(...others: CountryOption[]): CountryOption[] {
	return [...others, ...OPTIONS].sort((one, other) =>
		compareTexts(withoutAccents(one.name), withoutAccents(other.name)),
	);
}

function withoutAccents(name: string): string {
	return name.normalize('NFD').replace(/\p{M}/gu, '');
}

/** Reads a country's ISO code, in any case; undefined if unknown. */
export function readCountry(value: unknown): string | undefined {
	const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
	return KNOWN.has(code) ? code : undefined;
}

/** The credential's description of the country. */
export const COUNTRY_DESCRIPTION =
	'Country of your PBX, to get customer and company numbers in international format (E.164), such as +74951234567. Ambiguous numbers stay unchanged.';

/** How to fix an unknown country. */
export const COUNTRY_HINT = 'Choose one from the list, or use its ISO code, such as DE.';
