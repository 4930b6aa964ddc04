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

/** The countries whose rules are known, by English name, sorted in among other choices. */
export function countryOptions(...others: CountryOption[]): CountryOption[] {
	return [...others, ...OPTIONS].sort((one, other) =>
		compareTexts(withoutAccents(one.name), withoutAccents(other.name)),
	);
}

function withoutAccents(name: string): string {
	return name.normalize('NFD').replace(/\p{M}/gu, '');
}

/** Reads the ISO code of a country, in any case; undefined for one that is not known. */
export function readCountry(value: unknown): string | undefined {
	const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
	return KNOWN.has(code) ? code : undefined;
}

/** What a country does, in the credential. */
export const COUNTRY_DESCRIPTION =
	'Country of your PBX. With a country, customer and company numbers are in international format (E.164), such as +74951234567. Ambiguous numbers stay unchanged.';

/** What to do about a country that is not known. */
export const COUNTRY_HINT = 'Choose one from the list, or use its ISO code, such as DE.';
