import fc from 'fast-check';
import parsePhoneNumber, { getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json';
import metadata from 'libphonenumber-js/metadata.max.json';
import type { CountryCode } from 'libphonenumber-js';

/** A numbering plan as the library stores it; see its METADATA.md. */
type Plan = readonly [string, string, string, readonly number[], ...unknown[]];

const PLANS = metadata.countries as unknown as Record<string, Plan>;

/** All countries of the library. */
export const COUNTRY_CODES = Object.keys(PLANS) as CountryCode[];

/** Gives numbers below a limit. */
type Chance = (limit: number) => number;

/** A source of chance that gives the same again for the same seed. */
export function chanceOf(seed: number): Chance {
	let state = seed;
	return (limit) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * limit);
	};
}

/** What the library says: its E.164 if it calls the number valid, with its largest metadata. */
export function judge(number: string, country: CountryCode): string | undefined {
	const parsed = parsePhoneNumber(number, country);
	return parsed?.isValid() ? parsed.number : undefined;
}

/** Numbers of a country without its calling code: the library's example, and some of each kind that it knows. */
function samplesOf(country: CountryCode, chance: Chance): string[] {
	const kinds = PLANS[country]?.[11];
	const example = getExampleNumber(country, examples)?.nationalNumber;
	const patterns = (Array.isArray(kinds) ? kinds : []).flatMap((kind: unknown) =>
		Array.isArray(kind) && kind[0] !== '' ? [String(kind[0])] : [],
	);
	const made = patterns.flatMap((pattern) =>
		fc.sample(fc.stringMatching(new RegExp(`^(?:${pattern})$`)), {
			numRuns: 4,
			seed: chance(2 ** 31),
		}),
	);
	return [...(example === undefined ? [] : [example]), ...made];
}

/** Every form in which a number of a country is written there. */
function formsOf(country: CountryCode, national: string): string[] {
	const [code = ''] = PLANS[country] ?? [];
	const parsed = parsePhoneNumber(`+${code}${national}`);
	return [
		national,
		...(parsed ? [parsed.formatNational(), parsed.formatInternational()] : []),
		`+${code}${national}`,
		`${code}${national}`,
		`${internationalPrefix(country)}${code}${national}`,
	];
}

/** The usual prefix of international calls. */
export function internationalPrefix(country: CountryCode): string {
	const pattern = PLANS[country]?.[1] ?? '00';
	return /^\d+$/.test(pattern) ? pattern : '00';
}

const samples = new Map<CountryCode, string[]>();

/** What a PBX may hold: a number of a country in one of its forms, its end without the area code, or any digits. */
export function inputOf(
	countries: readonly CountryCode[],
	chance: Chance,
): readonly [string, CountryCode] {
	const country = countries[chance(countries.length)] ?? 'RU';
	const digits = (count: number) => Array.from({ length: count }, () => chance(10)).join('');
	const known = samples.get(country) ?? samplesOf(country, chance);
	samples.set(country, known);
	const national = known[chance(known.length)] ?? '';
	const forms = formsOf(country, national);
	const inputs = [
		forms[chance(forms.length)] ?? '',
		national.slice(chance(4)),
		digits(6 + chance(8)),
		`0${digits(6 + chance(8))}`,
	];
	return [inputs[chance(inputs.length)] ?? '', country];
}
