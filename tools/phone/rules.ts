import examples from 'libphonenumber-js/examples.mobile.json';
import { getExampleNumber, type CountryCode } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';

/** What the library knows of a numbering plan, by its place in the list. */
const AT = {
	abroad: 1,
	pattern: 2,
	lengths: 3,
	trunk: 5,
	parsing: 7,
	rewrite: 8,
	lead: 10,
	types: 11,
};
/** The kinds of numbers, by their places in the list of a plan, that most people have. */
const ORDINARY = [0, 1];

type Plan = readonly unknown[];

const COUNTRIES = metadata.countries as Record<string, Plan>;
const OTHERS = metadata.nonGeographic as Record<string, Plan>;
const CODES: Record<string, readonly string[]> = {
	...Object.fromEntries(Object.keys(OTHERS).map((code) => [code, []])),
	...metadata.country_calling_codes,
};

/**
 * Without its prefix, a number with an area code is as long as one without it is elsewhere, unless all are equally long.
 * So shorter ones do not count; nobody's number without an area code has this many digits.
 */
const LEAST_DIGITS = 9;

/** Any area code instead of a list of 600 signs: what comes of a wrong one is not valid. */
const SHORTER_TRUNK: Record<string, string> = { AR: '0?(?:(11|[23].{2,3})15)?' };

/** What the library calls valid, but cannot read itself: its trunk prefix 8 begins these numbers, too. */
const LEFT_OUT: Record<string, string> = { 375: '810.{7}' };

/** Where the pattern of all numbers leaves out some that the patterns of their kinds have. */
const STRICTER = ['AT', 'DE'];

/** The countries that have rules. */
export const CODES_OF_COUNTRIES: readonly string[] = Object.keys(COUNTRIES).sort();

/** The rules of each calling code, in the form that nodes/VirtualPbx/values/phone reads. */
export function makeRules(): string[] {
	return Object.entries(CODES).map(([code, countries]) =>
		[code, countriesText(countries), patternOf(code, countries)].join('/'),
	);
}

/** Each country, with its trunk prefix, international prefix, rewriting, least digits and shown prefix where they are not those before. */
function countriesText(countries: readonly string[]): string {
	let before = ['', '0', '00', '', '', '0'];
	return countries
		.map((country) => {
			const plan = COUNTRIES[country] ?? [];
			const rewrite = textAt(plan, AT.rewrite);
			const abroad = plain(textAt(plan, AT.abroad));
			const own = [
				country,
				trunkOf(country, plan),
				abroad,
				rewrite,
				leastDigits(plan),
				shownPrefix(country),
			];
			const parts = own.map((part, at) => (part === before[at] ? '' : part || '-'));
			before = own;
			return parts.join('~').replace(/~+$/, '');
		})
		.join(';');
}

/** The prefix of numbers within a country, as a pattern. */
function trunkOf(country: string, plan: Plan): string {
	const trunk = SHORTER_TRUNK[country] ?? (textAt(plan, AT.parsing) || textAt(plan, AT.trunk));
	if (textAt(plan, AT.rewrite) === '') return plain(trunk);
	// Seven digits without an area code are as common there as ten: toE164 writes this out.
	return trunk.replaceAll('\\d', '.').replace(/^\((.*)\.\{6\}\)\$\|1$/, '@$1');
}

/** How many digits a number needs at least where it is written without its prefix; an empty text where none has one. */
function leastDigits(plan: Plan): string {
	if (textAt(plan, AT.trunk) === '' && textAt(plan, AT.parsing) === '') return '';
	const lengths = new Set(ORDINARY.flatMap((at) => kindsOf(plan)[at]?.lengths ?? []));
	const [only] = lengths;
	return String(lengths.size === 1 ? only : LEAST_DIGITS);
}

/** The prefix with which the library writes a mobile number of a country for people there; an empty text for none. */
function shownPrefix(country: string): string {
	const example = getExampleNumber(country as CountryCode, examples);
	const shown = example?.formatNational().replace(/\D/g, '') ?? '';
	const own = example?.nationalNumber ?? '';
	return shown.endsWith(own) ? shown.slice(0, shown.length - own.length) : '';
}

function textAt(plan: Plan, at: number): string {
	const value = plan[at];
	return typeof value === 'string' ? value : '';
}

/** What the library calls valid in one of the countries that share a calling code, with its largest metadata. */
function patternOf(code: string, countries: readonly string[]): string {
	const plans = countries.length > 0 ? countries.map((one) => COUNTRIES[one]) : [OTHERS[code]];
	const all = [...new Set(plans.flatMap((plan, at) => validOf(countries[at] ?? '', plan ?? [])))];
	const left = LEFT_OUT[code];
	return left === undefined ? all.join('|') : `(?!${left}$)(${all.join('|')})`;
}

/** The alternatives of a country: the patterns of its kinds of numbers, some only where they begin as its numbers do. */
function validOf(country: string, plan: Plan): string[] {
	const kinds = kindsOf(plan).flatMap((kind) => kind?.pattern ?? []);
	const general = textAt(plan, AT.pattern);
	const patterns = (kinds.length > 0 ? kinds : [general]).map(plain);
	const lead = plain(textAt(plan, AT.lead));
	const whole = STRICTER.includes(country) ? `(${plain(general)})$` : lead;
	return whole === '' ? patterns : [`(?=${whole})(${[...new Set(patterns)].join('|')})`];
}

/** A pattern of the library for texts of digits alone, shorter: `.` is a digit, and groups are plain. */
function plain(pattern: string): string {
	return pattern.replaceAll('(?:', '(').replaceAll('\\d', '.');
}

/** A kind of numbers, such as mobile ones. */
interface Kind {
	pattern: string;
	lengths: readonly number[];
}

/** The kinds of numbers of a plan, in the library's order; undefined for those that it has none of. */
function kindsOf(plan: Plan): Array<Kind | undefined> {
	const types = plan[AT.types];
	const all = plan[AT.lengths] as readonly number[];
	if (!Array.isArray(types)) return [];
	return types.map((type: unknown) => {
		const [pattern, lengths] = Array.isArray(type) ? (type as [string, unknown]) : [''];
		if (pattern === '') return undefined;
		return { pattern, lengths: Array.isArray(lengths) ? (lengths as number[]) : all };
	});
}
