import type { IDataObject } from 'n8n-workflow';

import { asText, isObject } from '../json';
import { domesticForm, parsePhone, toE164 } from './parse';

/** Top-level fields of an item that hold numbers. */
const NUMBERS = ['customerNumber', 'companyNumber', 'from', 'to'];

/**
 * Returns an item with its top-level numbers in E.164, as far as the country allows, and with {@link numberDetails} in
 * `details` if these have `numbers`. Other details stay as the PBX wrote them.
 */
export function formatNumbers(item: IDataObject, country: string | undefined): IDataObject {
	const { details, customerNumber } = item;
	const hasForms = isObject(details) && 'numbers' in details;
	if (country === undefined && !hasForms) return item;
	const shown = { ...item };
	for (const name of country === undefined ? [] : NUMBERS) {
		const number = item[name];
		const known = typeof number === 'string' ? toE164(number, country) : undefined;
		if (known !== undefined) shown[name] = known;
	}
	if (hasForms) shown.details = { ...details, ...numberDetails(asText(customerNumber), country) };
	return shown;
}

/**
 * Returns the details of a customer's number. Without a country (an ISO code), only a number with a `+` has all of
 * them.
 */
export function numberDetails(
	number: string | undefined,
	country: string | undefined,
): { numbers: string[]; nationalNumber: string | null; customerCountry: string | null } {
	const phone = number === undefined ? undefined : parsePhone(number, country);
	return {
		numbers: crmForms(number, country),
		nationalNumber: phone?.nationalNumber ?? null,
		customerCountry: phone?.country ?? null,
	};
}

/** How many trailing digits CRMs compare if they don't know the country. */
const TAIL_DIGITS = 10;

/**
 * Returns the forms in which CRMs store a number, without duplicates: E.164, its digits, as people in the given
 * country write it, its national significant number (used by HubSpot's search), and its last ten digits. Empty for a
 * text that isn't a number.
 */
export function crmForms(number: string | undefined, country: string | undefined): string[] {
	if (number === undefined) return [];
	const phone = parsePhone(number, country);
	if (!phone && (!/\d/.test(number) || !/^[+\d\s().-]+$/.test(number))) return [];
	const digits = (phone?.number ?? number).replace(/\D/g, '');
	const forms = [
		phone?.number,
		digits,
		phone && domesticForm(phone, country),
		phone?.nationalNumber,
		digits.slice(-TAIL_DIGITS),
	];
	return [...new Set(forms.filter((form) => form !== undefined))];
}
