import type { CountryCode } from 'libphonenumber-js';
import { getCountries } from 'libphonenumber-js/max';

import { COUNTRIES as NAMES, toE164 } from '../../../nodes/VirtualPbx/util/phone';
import { chanceOf, COUNTRY_CODES, inputOf, judge } from './phoneJudge';

const COUNTRIES = (
	'AE AR AT AU BE BR BY CA CH CN CZ DE DK EE EG ES FI FR GB GE ' +
	'GR HU ID IL IN IT JP KR KZ MX NL NO PL PT RU SE TR UA US ZA'
).split(' ') as CountryCode[];

describe('a number in E.164', () => {
	it.each([
		['89161234567', 'RU', '+79161234567'],
		['79161234567', 'RU', '+79161234567'],
		['9161234567', 'RU', '+79161234567'],
		['+7 (916) 123-45-67', 'RU', '+79161234567'],
		['(+7) 916 123-45-67', 'RU', '+79161234567'],
		['8-10-44-20-7946-0000', 'RU', '+442079460000'],
		['8 800 555-35-35', 'RU', '+78005553535'],
		['8005553535', 'RU', '+78005553535'],
		['77011234567', 'RU', '+77011234567'],
		['87011234567', 'KZ', '+77011234567'],
		['00442079460000', 'DE', '+442079460000'],
		['011442079460000', 'US', '+442079460000'],
		['+44 (0)20 7946 0000', 'US', '+442079460000'],
		['0 (20) 7946 0000', 'GB', '+442079460000'],
		['(212) 555-0100', 'US', '+12125550100'],
		['12125550100', 'CA', '+12125550100'],
		['4601234', 'AG', '+12684601234'],
		['0221 15 512 3456', 'AR', '+5492215123456'],
		['06 1 234 5678', 'HU', '+3612345678'],
		['0669812345', 'IT', '+390669812345'],
		['+800 1234 5678', 'RU', '+80012345678'],
		['030 123456', 'DE', '+4930123456'],
		['4930123456', 'DE', '+4930123456'],
		['4915112345678', 'DE', '+4915112345678'],
		['0664 1234567', 'AT', '+436641234567'],
		['040 1234567', 'FI', '+358401234567'],
		['4915112345678', 'RU', '+4915112345678'],
		['998901234567', 'RU', '+998901234567'],
		['79161234567', 'GB', '+79161234567'],
		['00442079460000', 'US', '+442079460000'],
		['00442079460000', 'RU', '+442079460000'],
		['447911123456', 'US', '+447911123456'],
		['919876543210', 'US', '+919876543210'],
		['971501234567', 'RU', '+971501234567'],
	])('%s, dialed in %s, is %s', (number, country, expected) => {
		expect(toE164(number, country)).toBe(expected);
	});

	it.each<readonly [string, string | undefined, string]>([
		['100', 'RU', 'an extension'],
		['12345', 'DE', 'an extension'],
		['*72', 'RU', 'a feature code'],
		['#31#89161234567', 'RU', 'a feature code'],
		['89161234567#', 'RU', 'a feature code'],
		['anonymous', 'RU', 'a word'],
		['8916CALLME7', 'RU', 'letters'],
		['+7 916 123 45 67 ext. 5', 'RU', 'letters'],
		['0000000000', 'RU', 'no number of the plan'],
		...['DE', 'AT', 'FI', 'SE', 'RU', 'US', 'IT', 'GB'].flatMap((country) => [
			['123-45-67', country, 'a number without its area code'] as const,
			['101750', country, 'a number without its area code'] as const,
		]),
		['1234567', 'RU', 'a number without its area code'],
		['8123456', 'SE', 'with or without an area code'],
		['390763195', 'IT', 'with its calling code or without'],
		['4915112345678', undefined, 'no country, and no plus'],
		['912155551212', 'US', 'in India, or behind a 9 for an outside line'],
		['979161234567', 'RU', 'with the calling code 979, or behind a 9 for an outside line'],
		['3725123456', 'RU', 'ten digits, which could be a wrong number at home'],
		['+999123456789', 'RU', 'an unknown calling code'],
		['+79161234567'.padEnd(70), 'RU', 'a text that is too long'],
		['89161234567', '', 'no country'],
		['89161234567', 'XX', 'an unknown country'],
		['89161234567', 'ru', 'an unknown country'],
		['89161234567', '__proto__', 'an unknown country'],
		['8+9161234567', 'RU', 'a plus in the wrong place'],
		['', 'RU', 'nothing'],
		['9161234567'.repeat(4), 'RU', 'too long'],
	])('is not guessed for %s in %s: %s', (number, country) => {
		expect(toE164(number, country)).toBeUndefined();
	});

	it('is none for what the library calls invalid, of 10,000 random inputs of 40 countries (docs/internals/decisions.md)', () => {
		const chance = chanceOf(11);
		const inputs = Array.from({ length: 10_000 }, () => inputOf(COUNTRIES, chance));
		const told = inputs.map(([number, country]) => ({
			number,
			country,
			own: toE164(number, country),
			library: judge(number, country),
		}));

		const wrong = told.filter(({ own }) => own !== undefined && judge(own, 'US') === undefined);
		const valid = told.filter(({ library }) => library !== undefined);
		const kept = valid.filter(({ own }) => own === undefined);
		const numbers = { wrong, valid: valid.length, kept: kept.length };
		expect(numbers).toEqual({ wrong: [], valid: 3671, kept: 287 });
	});

	it('is never another number in another country', () => {
		const chance = chanceOf(3);
		const known = Array.from({ length: 10_000 }, () =>
			toE164(...inputOf(COUNTRY_CODES, chance)),
		).filter((number) => number !== undefined);
		const changed = known.filter((number) => {
			const country = COUNTRY_CODES[chance(COUNTRY_CODES.length)] ?? 'RU';
			return (toE164(number, country) ?? number) !== number;
		});

		expect(known.length).toBeGreaterThan(1_500);
		expect(changed).toEqual([]);
	});
});

describe('the list of countries', () => {
	it('has those of the library, with their English names', () => {
		const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
		const listed = NAMES.trim().split(/; |\n/);
		expect(listed).toEqual(
			[...getCountries()].sort().map((code) => `${code} ${names.of(code) ?? code}`),
		);
	});
});
