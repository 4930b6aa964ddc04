import type { CountryCode, NumberingPlan, NumberType, PhoneNumber } from 'libphonenumber-js/core';
import {
	getCountryCallingCode,
	Metadata,
	parsePhoneNumberFromString,
} from 'libphonenumber-js/core';
import type { IDataObject } from 'n8n-workflow';
import metadata from 'libphonenumber-js/max/metadata';

import { asText, isObject, compareTexts } from './json';
import { BoundedMap } from './limits';
import { bareNumber, numberOf } from './party';

/** A longer text isn't a number, even with separators. */
const MAX_LENGTH = 64;

/** A number with fewer digits is an extension. */
const MIN_DIALED = 6;

/** Digits with the usual separators, and a plus sign in front only. */
const DIALABLE = /^[(\s]*\+?[\d\s()./\u2010-\u2015\u2212-]+$/;

/** Results: parsing takes 6 µs, and the same numbers call again. */
const cache = new BoundedMap<string, PhoneNumber | null>(10_000);

/**
 * Parses a number in any form that a PBX or a person writes, as dialed in a country such as `RU`; without a country,
 * only a number with a `+`. Returns undefined for extensions, other texts, unknown countries, and numbers that don't
 * exist or are ambiguous, such as one that might lack its area code.
 */
function parsePhone(number: string, country: string | undefined): PhoneNumber | undefined {
	if (number.length > MAX_LENGTH || !DIALABLE.test(number)) return undefined;
	const digits = number.replace(/\D/g, '');
	if (digits.length < MIN_DIALED) return undefined;
	if (number.includes('+')) return remembered(`+${digits}`, () => valid(`+${digits}`));
	const home = knownCountry(country);
	return home && remembered(home + digits, () => dialed(digits, home));
}

function remembered(key: string, parse: () => PhoneNumber | undefined): PhoneNumber | undefined {
	const known = cache.get(key);
	return (known === undefined ? cache.set(key, parse() ?? null) : known) ?? undefined;
}

/** Returns a number as `+12125550167`, if {@link parsePhone} can parse it. */
export function toE164(number: string, country: string | undefined): string | undefined {
	return parsePhone(number, country)?.number;
}

/**
 * Returns a number as people in its own country dial it, in digits; undefined unless the given country has the same
 * calling code.
 */
function domesticForm(phone: PhoneNumber, country: string | undefined): string | undefined {
	const home = knownCountry(country);
	if (home === undefined || phone.countryCallingCode !== getCountryCallingCode(home, metadata))
		return undefined;
	return phone.formatNational().replace(/\D/g, '');
}

function knownCountry(country: string | undefined): CountryCode | undefined {
	const isKnown = country !== undefined && Object.hasOwn(metadata.countries, country);
	return isKnown ? (country as CountryCode) : undefined;
}

/** In Germany, `491511234567` could also be a number in Leer, 0491. PBXs write long numbers with the country code. */
const MIN_DIGITS_WITH_CODE = 11;

/** Parses digits as dialed in a country. */
function dialed(digits: string, country: CountryCode): PhoneNumber | undefined {
	const found = valid(digits, country);
	// Trunks write 00 even in countries where people dial 011 or 810.
	if (!found && digits.startsWith('00')) return valid(`+${digits.slice(2)}`);
	const code = getCountryCallingCode(country, metadata);
	if (!digits.startsWith(code) && isBehindNine(digits, country)) return undefined;
	if (found && ![`+${digits}`, `+${code}${digits}`].includes(found.number)) return found;
	return digits.length < minDigits(country) ? undefined : unprefixed(digits, code, found);
}

/** Returns whether digits can be a 9 for an outside line, as of many PBXs, and a number as people dial it at home. */
function isBehindNine(digits: string, country: CountryCode): boolean {
	const rest = digits.slice(1);
	const found = digits.startsWith('9') ? valid(rest, country) : undefined;
	return found !== undefined && found.nationalNumber !== rest;
}

/** Parses digits without any prefix, which must have only one meaning; `found` is the library's reading. */
function unprefixed(
	digits: string,
	code: string,
	found: PhoneNumber | undefined,
): PhoneNumber | undefined {
	const national = found?.number === `+${code}${digits}` ? found : undefined;
	const hasCode = digits.startsWith(code);
	if (national && !hasCode) return national;
	const isLong = digits.length >= MIN_DIGITS_WITH_CODE;
	const full = hasCode || isLong ? valid(`+${digits}`) : undefined;
	if (!national || !full) return national ?? full;
	return isLong ? full : undefined;
}

function valid(number: string, country?: CountryCode): PhoneNumber | undefined {
	const options = { extract: false, ...(country && { defaultCountry: country }) };
	const found = parsePhoneNumberFromString(number, options, metadata);
	return found?.isValid() ? found : undefined;
}

/** Local numbers, without the area code, have fewer digits than this everywhere. */
const MIN_DIGITS = 9;

/** The part of a numbering plan that the library's types omit. */
interface FullPlan extends NumberingPlan {
	nationalPrefixForParsing(): string | undefined;
	type(type: NumberType): { possibleLengths(): number[] } | undefined;
}

const minimums = new Map<CountryCode, number>();

/** Returns how many digits a number without a prefix needs, so that its area code can't be missing. */
function minDigits(country: CountryCode): number {
	const known = minimums.get(country);
	if (known !== undefined) return known;
	const plans = new Metadata(metadata);
	plans.selectNumberingPlan(country);
	const plan = plans.numberingPlan as FullPlan;
	const ordinary = (['FIXED_LINE', 'MOBILE'] as const).flatMap(
		(type) => plan.type(type)?.possibleLengths() ?? [],
	);
	const [only = MIN_DIGITS, ...others] = new Set(ordinary);
	const least = others.length > 0 ? MIN_DIGITS : only;
	const minimum = plan.nationalPrefixForParsing() ? least : 0;
	minimums.set(country, minimum);
	return minimum;
}

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

/** Returns whether a number, in any form, is a wanted one. */
export type NumberMatch = (value: string) => boolean;

/** The closing character for each opening one. Separators in between belong to the entry. */
const CLOSERS: Record<string, string> = { '"': '"', '<': '>', '(': ')' };

/**
 * Parses a number filter such as `12125550123, 1646*`: full numbers in any form that `readParty` knows, or prefixes
 * with `*`. Ignores punctuation in numbers. With a country, they also match in E.164. Undefined if the list is empty.
 */
export function readNumberMatch(list: unknown, country?: string): NumberMatch | undefined {
	const entries = [list].flat().flatMap(listEntries);
	if (entries.length === 0) return undefined;

	const exact = new Set<string>();
	const prefixes: string[] = [];
	for (const entry of entries) {
		if (entry.endsWith('*')) prefixes.push(bareNumber(entry.slice(0, -1)));
		else for (const form of bareForms(entry, country)) exact.add(form);
	}
	return (value) =>
		bareForms(value, country).some(
			(form) => exact.has(form) || prefixes.some((prefix) => form.startsWith(prefix)),
		);
}

/** Finds an entry of such a list that can't be a number: without a letter or digit, or neither text nor number. */
export function findInvalidNumber(list: unknown): string | undefined {
	const given = [list].flat().filter((entry) => entry !== undefined && entry !== null);
	const odd = given.find((entry) => !['string', 'number'].includes(typeof entry));
	if (odd !== undefined) return JSON.stringify(odd);
	return given.flatMap(listEntries).find((entry) => !/[\p{L}\d]/u.test(entry));
}

function listEntries(entry: unknown): string[] {
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
function bareForms(value: string, country: string | undefined): string[] {
	const known = country === undefined ? undefined : toE164(numberOf(value), country);
	return known === undefined ? [bareNumber(value)] : [bareNumber(value), known.slice(1)];
}

/** Returns a key that is equal for all forms of a number: E.164 if the country allows. */
export function numberKey(value: string, country: string | undefined): string {
	return bareForms(value, country).at(-1) ?? '';
}

// From libphonenumber-js, with the names of Intl.DisplayNames; a unit test compares them.

/** The countries with numbering rules: ISO codes and English names. */
export const COUNTRIES = `
AC Ascension Island; AD Andorra; AE United Arab Emirates; AF Afghanistan; AG Antigua & Barbuda; AI Anguilla; AL Albania; AM Armenia; AO Angola; AR Argentina; AS American Samoa; AT Austria; AU Australia; AW Aruba
AX Åland Islands; AZ Azerbaijan; BA Bosnia & Herzegovina; BB Barbados; BD Bangladesh; BE Belgium; BF Burkina Faso; BG Bulgaria; BH Bahrain; BI Burundi; BJ Benin; BL St. Barthélemy; BM Bermuda; BN Brunei; BO Bolivia
BQ Caribbean Netherlands; BR Brazil; BS Bahamas; BT Bhutan; BW Botswana; BY Belarus; BZ Belize; CA Canada; CC Cocos (Keeling) Islands; CD Congo - Kinshasa; CF Central African Republic; CG Congo - Brazzaville
CH Switzerland; CI Côte d’Ivoire; CK Cook Islands; CL Chile; CM Cameroon; CN China; CO Colombia; CR Costa Rica; CU Cuba; CV Cape Verde; CW Curaçao; CX Christmas Island; CY Cyprus; CZ Czechia; DE Germany; DJ Djibouti
DK Denmark; DM Dominica; DO Dominican Republic; DZ Algeria; EC Ecuador; EE Estonia; EG Egypt; EH Western Sahara; ER Eritrea; ES Spain; ET Ethiopia; FI Finland; FJ Fiji; FK Falkland Islands; FM Micronesia; FO Faroe Islands
FR France; GA Gabon; GB United Kingdom; GD Grenada; GE Georgia; GF French Guiana; GG Guernsey; GH Ghana; GI Gibraltar; GL Greenland; GM Gambia; GN Guinea; GP Guadeloupe; GQ Equatorial Guinea; GR Greece; GT Guatemala
GU Guam; GW Guinea-Bissau; GY Guyana; HK Hong Kong SAR China; HN Honduras; HR Croatia; HT Haiti; HU Hungary; ID Indonesia; IE Ireland; IL Israel; IM Isle of Man; IN India; IO British Indian Ocean Territory; IQ Iraq
IR Iran; IS Iceland; IT Italy; JE Jersey; JM Jamaica; JO Jordan; JP Japan; KE Kenya; KG Kyrgyzstan; KH Cambodia; KI Kiribati; KM Comoros; KN St. Kitts & Nevis; KP North Korea; KR South Korea; KW Kuwait; KY Cayman Islands
KZ Kazakhstan; LA Laos; LB Lebanon; LC St. Lucia; LI Liechtenstein; LK Sri Lanka; LR Liberia; LS Lesotho; LT Lithuania; LU Luxembourg; LV Latvia; LY Libya; MA Morocco; MC Monaco; MD Moldova; ME Montenegro; MF St. Martin
MG Madagascar; MH Marshall Islands; MK North Macedonia; ML Mali; MM Myanmar (Burma); MN Mongolia; MO Macao SAR China; MP Northern Mariana Islands; MQ Martinique; MR Mauritania; MS Montserrat; MT Malta; MU Mauritius
MV Maldives; MW Malawi; MX Mexico; MY Malaysia; MZ Mozambique; NA Namibia; NC New Caledonia; NE Niger; NF Norfolk Island; NG Nigeria; NI Nicaragua; NL Netherlands; NO Norway; NP Nepal; NR Nauru; NU Niue; NZ New Zealand
OM Oman; PA Panama; PE Peru; PF French Polynesia; PG Papua New Guinea; PH Philippines; PK Pakistan; PL Poland; PM St. Pierre & Miquelon; PR Puerto Rico; PS Palestinian Territories; PT Portugal; PW Palau; PY Paraguay
QA Qatar; RE Réunion; RO Romania; RS Serbia; RU Russia; RW Rwanda; SA Saudi Arabia; SB Solomon Islands; SC Seychelles; SD Sudan; SE Sweden; SG Singapore; SH St. Helena; SI Slovenia; SJ Svalbard & Jan Mayen; SK Slovakia
SL Sierra Leone; SM San Marino; SN Senegal; SO Somalia; SR Suriname; SS South Sudan; ST São Tomé & Príncipe; SV El Salvador; SX Sint Maarten; SY Syria; SZ Eswatini; TA Tristan da Cunha; TC Turks & Caicos Islands; TD Chad
TG Togo; TH Thailand; TJ Tajikistan; TK Tokelau; TL Timor-Leste; TM Turkmenistan; TN Tunisia; TO Tonga; TR Türkiye; TT Trinidad & Tobago; TV Tuvalu; TW Taiwan; TZ Tanzania; UA Ukraine; UG Uganda; US United States
UY Uruguay; UZ Uzbekistan; VA Vatican City; VC St. Vincent & Grenadines; VE Venezuela; VG British Virgin Islands; VI U.S. Virgin Islands; VN Vietnam; VU Vanuatu; WF Wallis & Futuna; WS Samoa; XK Kosovo; YE Yemen
YT Mayotte; ZA South Africa; ZM Zambia; ZW Zimbabwe
`;

export interface CountryOption {
	name: string;
	value: string;
}

const OPTIONS: readonly CountryOption[] = COUNTRIES.trim()
	.split(/; |\n/)
	.map((entry) => ({ name: entry.slice(3), value: entry.slice(0, 2) }));

export const COUNTRY_CODES = new Set(OPTIONS.map(({ value }) => value));

/** Returns the known countries and the other choices, sorted by English name. */
export function countryOptions(...others: CountryOption[]): CountryOption[] {
	return [...others, ...OPTIONS].sort((one, other) =>
		compareTexts(withoutAccents(one.name), withoutAccents(other.name)),
	);
}

function withoutAccents(name: string): string {
	return name.normalize('NFD').replace(/\p{M}/gu, '');
}

export const COUNTRY_DESCRIPTION =
	'Country of your PBX, to get customer and company numbers in international format (E.164), such as +12125550123. Ambiguous numbers stay unchanged.';

export const COUNTRY_HINT = 'Choose one from the list, or use its ISO code, such as DE.';
