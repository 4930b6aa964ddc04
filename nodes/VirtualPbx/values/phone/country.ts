import type { IDataObject } from 'n8n-workflow';

import { asText, compareTexts, isObject } from '../json';
import { COUNTRIES } from './countries';
import { toE164, toNational } from './toE164';

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

/** The fields at the top of an item that hold numbers. */
const NUMBERS = ['customerNumber', 'companyNumber', 'from', 'to'];

/** Writes the numbers at the top of an item in E.164, as far as the country tells; of `details` only `numbers` change. */
export function inCountry(item: IDataObject, country: string | undefined): IDataObject {
	if (country === undefined) return item;
	const told = { ...item };
	for (const name of NUMBERS) {
		const number = item[name];
		const known = typeof number === 'string' ? toE164(number, country) : undefined;
		if (known !== undefined) told[name] = known;
	}
	const { details, customerNumber } = item;
	if (isObject(details) && 'numbers' in details)
		told.details = { ...details, numbers: crmForms(asText(customerNumber), country) };
	return told;
}

/** How many digits at the end of a number CRMs compare that know no country. */
const TAIL_DIGITS = 10;

/**
 * Writes a number in the forms in which CRMs keep it, each once: E.164, its digits, as people of the country (an ISO code)
 * write it, and its last ten digits. Without a country, only a number with a `+` has E.164. Empty for what is no number.
 */
export function crmForms(number: string | undefined, country: string | undefined): string[] {
	if (number === undefined || !/\d/.test(number) || !/^[+\d\s().-]+$/.test(number)) return [];
	const known = toE164(number, country);
	const digits = (known ?? number).replace(/\D/g, '');
	const national = known && country ? toNational(known, country) : undefined;
	const forms = [known, digits, national, digits.slice(-TAIL_DIGITS)];
	return [...new Set(forms.filter((form) => form !== undefined))];
}
