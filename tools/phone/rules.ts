import metadata from 'libphonenumber-js/metadata.min.json';

import {
	beginningWith,
	common,
	countByLength,
	roughly,
	union,
	without,
	type Tail,
} from './digitSets';
import { plain, readPattern, writePattern } from './pattern';

/** What the library knows of a numbering plan, by its place in the list. */
const AT = { abroad: 1, pattern: 2, trunk: 5, parsing: 7, rewrite: 8, lead: 10, types: 11 };

type Plan = readonly unknown[];

const COUNTRIES = metadata.countries as Record<string, Plan>;
const OTHERS = metadata.nonGeographic as Record<string, Plan>;
const CODES: Record<string, readonly string[]> = {
	...Object.fromEntries(Object.keys(OTHERS).map((code) => [code, []])),
	...metadata.country_calling_codes,
};

/** What a shared numbering plan may lose of its detail, and what that must save at least. */
const ROUGHEST = { share: 0.1, characters: 50 };

/** Any area code instead of a list of 600 signs: what comes of a wrong one is not valid. */
const SHORTER_TRUNK: Record<string, string> = { AR: '0?(?:(11|[23].{2,3})15)?' };

/** Numbers that count beside the valid ones: Italy has too many area codes for a list, and a rougher one loses whole cities. */
const MORE: Record<string, string> = { 39: '0.{5,10}' };

/** The countries that have rules. */
export const CODES_OF_COUNTRIES: readonly string[] = Object.keys(COUNTRIES).sort();

/** The rules of each calling code, in the form that nodes/VirtualPbx/values/phone reads. */
export function makeRules(): string[] {
	return Object.entries(CODES).map(([code, countries]) =>
		[code, countriesText(countries), patternOf(code, countries)].join('/'),
	);
}

/** Each country, with its trunk prefix, international prefix, rewriting and own numbers where they are not those before. */
function countriesText(countries: readonly string[]): string {
	const [main = '', ...others] = countries;
	let before = ['', '0', '00', '', ''];
	return [
		main,
		...others.sort((one, other) => compare(ownNumbers(one, main), ownNumbers(other, main))),
	]
		.map((country) => {
			const plan = COUNTRIES[country] ?? [];
			const rewrite = textAt(plan, AT.rewrite);
			const abroad = plain(textAt(plan, AT.abroad));
			const own = [country, trunkOf(country, plan), abroad, rewrite, ownNumbers(country, main)];
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

function compare(one: string, other: string): number {
	return one < other ? -1 : Number(one > other);
}

/** What the library also takes for valid in a country when it cannot tell to which of those with its code a number belongs. */
function ownNumbers(country: string, main: string): string {
	const [plan = [], mainPlan = []] = [COUNTRIES[country], COUNTRIES[main]];
	if (kindsOf(plan).length > 0 || kindsOf(mainPlan).length === 0) return '';
	const lead = textAt(plan, AT.lead);
	return plain(textAt(plan, AT.pattern)).replace(`(${lead}|`, '(').replace(`|${lead}|`, '|');
}

function textAt(plan: Plan, at: number): string {
	const value = plan[at];
	return typeof value === 'string' ? value : '';
}

function patternOf(code: string, countries: readonly string[]): string {
	const [first = '', ...others] = countries;
	const plan = COUNTRIES[first] ?? OTHERS[code] ?? [];
	if (others.length === 0) return plain(textAt(plan, AT.pattern));

	const plans = countries.map((country) => COUNTRIES[country] ?? []);
	const written = plain(plans.map(ownPattern).join('|'));
	const valid = plans.map((one) => validNumbers(one, plan)).reduce(union, null);
	const exact = MORE[code] === undefined ? valid : union(valid, readPattern(MORE[code]));
	const shortest = [written, writePattern(exact)].sort(byLength)[0] ?? '';
	const rough = roughPatterns(exact, plans).sort(byLength)[0] ?? shortest;
	return shortest.length - rough.length < ROUGHEST.characters ? shortest : rough;
}

function byLength(one: string, other: string): number {
	return one.length - other.length;
}

/** The patterns of the kinds of numbers, which a country has if its general pattern is not enough to tell it. */
function kindsOf(plan: Plan): string[] {
	const types = plan[AT.types];
	if (!Array.isArray(types)) return [];
	return types.flatMap((type: unknown) =>
		Array.isArray(type) && type[0] !== '' ? [String(type[0])] : [],
	);
}

function ownPattern(plan: Plan): string {
	return kindsOf(plan).join('|') || textAt(plan, AT.pattern);
}

/** What the library calls valid in one of the countries that share a calling code. */
function validNumbers(plan: Plan, main: Plan): Tail {
	const all = readPattern(textAt(plan, AT.pattern));
	const kinds = kindsOf(plan);
	const lead = textAt(plan, AT.lead);
	if (kinds.length > 0) return common(all, readPattern(kinds.join('|')));
	const isTold = kindsOf(main).length > 0 && lead !== '';
	return isTold ? beginningWith(all, readPattern(lead)) : all;
}

/** Patterns that look at fewer digits and hardly lose a number of any kind. */
function roughPatterns(exact: Tail, plans: readonly Plan[]): string[] {
	const kinds = plans.flatMap((plan) => kindsOf(plan).map(readPattern));
	return [3, 4, 5].flatMap((digits) => {
		const rough = roughly(exact, digits);
		const isNear = [rough, ...kinds.map((kind) => common(kind, exact))].every(
			(kind) => shareOf(without(exact, rough), kind) <= ROUGHEST.share,
		);
		const isTight = shareOf(without(rough, exact), rough) <= ROUGHEST.share;
		return rough && isNear && isTight ? [writePattern(rough)] : [];
	});
}

/** How much of a set is also in another one. */
function shareOf(part: Tail, whole: Tail): number {
	return sizeOf(common(part, whole)) / sizeOf(whole);
}

function sizeOf(set: Tail): number {
	return countByLength(set).reduce((sum, count) => sum + count, 0);
}
