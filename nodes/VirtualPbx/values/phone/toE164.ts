import { RULES } from './rules';

/** How a country dials. */
interface Dialing {
	code: string;
	/** Before numbers within the country; it may take in digits that `rewrite` keeps. */
	trunk: RegExp;
	/** Before numbers of other countries. */
	abroad: RegExp;
	rewrite: string;
	/** How many digits a number has at least that is written without its prefix. */
	least: number;
	/** What people of the country write before their own numbers. */
	shown: string;
}

const countries = new Map<string, Dialing>();
const codes = new Map<string, { numbers: RegExp; main: string }>();

/** What a country leaves empty is as in the one before. */
function readRules(): void {
	for (const rule of RULES.replace(/\n\t/g, '').trim().split(/\s+/)) {
		const [code = '', list = '', numbers = ''] = rule.split('/');
		codes.set(code, { numbers: new RegExp(`^(?:${numbers})$`), main: list.slice(0, 2) });
		let row = ['', '0', '00', '-', '-', '0'];
		for (const country of list.split(';')) {
			const own = country.split('~');
			row = row.map((part, at) => own[at] || part);
			const [name = '', trunk = '', abroad, rewrite = '', least, shown = ''] = row.map((part) =>
				part === '-' ? '' : part,
			);
			countries.set(name, {
				code,
				trunk: new RegExp(`^(?:${trunk.replace(/^@(.*)/, '($1.{6})$$|1')})`),
				abroad: new RegExp(`^(?:${abroad})(?=[1-9])`),
				rewrite,
				least: Number(least),
				shown,
			});
		}
	}
}

/** Writes a number in E.164 as people of a country do, in digits: `89161234567` in `RU`; undefined for one of elsewhere. */
export function toNational(number: string, country: string): string | undefined {
	if (codes.size === 0) readRules();
	const own = countries.get(country);
	if (!own || !number.startsWith(`+${own.code}`)) return undefined;
	return `${own.shown}${number.slice(1 + own.code.length)}`;
}

/** A number with a `+` is the same in every country. */
const ANY = 'US';

/**
 * Writes a number as `+79161234567`, from any form that a PBX or a person writes, dialed in a country such as `RU`; without
 * one, only a number with a `+` is known. It decides as libphonenumber-js does; undefined for extensions, other texts,
 * unknown countries, and what no numbering plan settles, such as a number that may lack its area code.
 */
export function toE164(number: string, country: string | undefined): string | undefined {
	if (codes.size === 0) readRules();
	const own = countries.get(country ?? ANY);
	const digits = number.replace(/\D/g, '');
	if (!own || digits.length < 6 || digits.length > 30) return undefined;
	if (!/^[(\s]*\+?[\d\s()./\u2010-\u2015\u2212-]+$/.test(number)) return undefined;
	if (number.includes('+')) return international(digits);
	return country === undefined ? undefined : dialed(digits, own);
}

/** Reads the digits that people of a country dial. */
function dialed(digits: string, own: Dialing): string | undefined {
	const abroad = own.abroad.exec(digits)?.[0];
	if (abroad) return international(digits.slice(abroad.length));
	const national = withoutTrunk(digits, own);
	const known = national === digits ? undefined : valid(own.code, national);
	if (known !== undefined || digits.length < own.least) return known;
	return unprefixed(digits, own);
}

/** In Germany, `491511234567` may also be a number of Leer, 0491; so long ones count as what a PBX writes. */
const LONG_WITH_CODE = 11;

/** Reads a number with no prefix at all: it begins with its calling code, or with its area code. */
function unprefixed(digits: string, { code }: Dialing): string | undefined {
	const national = valid(code, digits);
	const full = digits.startsWith(code) ? valid(code, digits.slice(code.length)) : undefined;
	if (!national || !full) return national ?? full;
	return digits.length >= LONG_WITH_CODE ? full : undefined;
}

function international(digits: string): string | undefined {
	const code = [1, 2, 3].map((end) => digits.slice(0, end)).find((one) => codes.has(one)) ?? '';
	const rest = digits.slice(code.length);
	const main = countries.get(codes.get(code)?.main ?? '');
	return valid(code, rest) ?? (main && valid(code, withoutTrunk(rest, main)));
}

function valid(code: string, digits: string): string | undefined {
	return codes.get(code)?.numbers.test(digits) ? `+${code}${digits}` : undefined;
}

function withoutTrunk(digits: string, { trunk, rewrite }: Dialing): string {
	const found = trunk.exec(digits) ?? [''];
	if (rewrite && found.length > 1 && found.at(-1)) return digits.replace(trunk, rewrite);
	return digits.slice(found[0].length);
}
