import { toE164, toNational } from './toE164';

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
