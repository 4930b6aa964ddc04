import { percentDecoded } from './json';
import { toE164 } from './phone/parse';

/** Who takes part in a call, as a PBX writes it. */
export interface Party {
	/** As it stands, percent-decoded, without invisible characters. */
	number: string;
	/** Not empty; absent where the text holds none. */
	name?: string;
}

/** A display name, quoted or not, an address in angle brackets, and its parameters (`;tag=…`). */
const NAME_ADDR = /^("(?:[^"\\]|\\.)*"\s*|[^<]*)<([^<>]*)>\s*(?:;.*)?$/s;

/** The usual forms, in which nothing but the number is to be found: `74951234567`, `100@host`, and `sip:100@host`. */
const USUAL = /^(?:sips?:)?([^\s@<>"();:?%]+)(?:@[^\s@<>"()]+)?$/i;

/**
 * Takes a caller or called party apart into number and name: a SIP or tel URI (§2.4), `user@host`, a name-addr, a number
 * with a name in brackets as `171 (IVANOVA MA)`, or a bare number. For a form that nobody knows, the number is the whole
 * text.
 */
export function readParty(value: string): Party {
	const usual = USUAL.exec(value)?.[1];
	if (usual !== undefined) return { number: visible(usual) };
	const text = value.trim();
	const { number, name } = readNameAddr(text) ??
		readNamed(text) ?? { number: userOf(text) ?? text };
	return party(visible(number), visibleName(name) ?? '');
}

/** Control characters, format characters such as those that turn the direction of text, and line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function visible(text: string): string {
	return text.replace(INVISIBLE, '');
}

/** Returns a name without invisible characters, on one line; undefined for an empty one. */
export function visibleName(name: string | undefined): string | undefined {
	return visible((name ?? '').replace(/\s+/g, ' ')).trim() || undefined;
}

function readNameAddr(text: string): Party | undefined {
	if (!text.includes('<')) return undefined;
	const [, display = '', inner = ''] = NAME_ADDR.exec(text) ?? [];
	const address = inner.trim();
	const isBare = /^\S+$/.test(address) || isNumber(address);
	const number = userOf(address) ?? (isBare ? address : undefined);
	return number === undefined ? undefined : party(number, displayName(display.trim()));
}

/** The number alone of what {@link readParty} reads; an empty text for an empty value. */
export function numberOf(value: string): string {
	return readParty(value).number;
}

function party(number: string, name: string): Party {
	return name === '' ? { number } : { number, name };
}

function displayName(text: string): string {
	const quoted = /^"(.*)"$/s.exec(text)?.[1];
	return quoted === undefined ? text : quoted.replace(/\\(.)/gs, '$1').trim();
}

/** `171 (IVANOVA MA)`: a number, SIP user or URI, a space, and a name in brackets that ends the text. */
function readNamed(text: string): Party | undefined {
	const open = text.endsWith(')') ? lastOpening(text) : -1;
	const front = text.slice(0, Math.max(open, 0));
	if (front.trimEnd() === front) return undefined;

	const number = front.trimEnd();
	const name = text.slice(open + 1, -1).trim();
	const user = userOf(number);
	if (user !== undefined) return party(user, name);
	// `+7 (495)` is the beginning of a number: a country code and an area code.
	const isName = name === '' || /\p{L}/u.test(name) || /^(?:\+?\d{4,}|\d{2,3})$/.test(number);
	const isUser = /^[\p{L}\d._-]+$/u.test(number) && name !== '';
	return (isNumber(number) && isName) || (isUser && !/^\d/.test(number))
		? party(number, name)
		: undefined;
}

function isNumber(text: string): boolean {
	return /^\+?[\d*#\s().-]+$/.test(text) && /\d/.test(text);
}

/** Where the bracket that ends a text opens; -1 where it does not. */
function lastOpening(text: string): number {
	let depth = 0;
	for (let index = text.length - 1; index >= 0; index--) {
		if (text[index] === ')') depth++;
		else if (text[index] === '(' && --depth === 0) return index;
	}
	return -1;
}

/** The user part of a URI or of `user@host`; undefined for anything else. */
function userOf(address: string): string | undefined {
	const scheme = /^(sips?|tel):/i.exec(address);
	const rest = scheme ? address.slice(scheme[0].length) : address;
	const at = rest.indexOf('@');
	if (!scheme)
		return /^[^\s@<>"]+@[^\s@<>"]+$/.test(rest) ? bareUser(rest.slice(0, at)) : undefined;
	if (at >= 0) return /\s/.test(rest.slice(at)) ? undefined : bareUser(rest.slice(0, at));
	const only = rest.replace(/[;?].*/s, '').trim();
	if (only === '') return undefined;
	return scheme[0].toLowerCase() === 'tel:' ? bareUser(only) : only;
}

/** Decodes all but the characters that other services would take for markup. */
function bareUser(user: string): string {
	return percentDecoded(user.replace(/[;:?].*/s, '')).replace(/[<>"`|&\\]/g, encodeURIComponent);
}

/** The longest number that counts as an extension. */
const EXTENSION_DIGITS = 5;

/** Tells whether numbers, without SIP URIs and names, are all known, and extensions: digits only, at most five. */
export function areExtensions(...numbers: Array<string | undefined>): boolean {
	return numbers.every(
		(number) => number !== undefined && number.length <= EXTENSION_DIGITS && /^\d+$/.test(number),
	);
}

/** Tells whether a number, in whichever form it comes, is one of those wanted. */
export type NumberMatch = (value: string) => boolean;

/** What ends what a sign opens in an entry of a list, in which separators belong to it. */
const CLOSERS: Record<string, string> = { '"': '"', '<': '>', '(': ')' };

/**
 * Reads the numbers that a filter lets through, such as `74951234567, 7916*`: whole ones in any form that `readParty`
 * knows, or prefixes with `*`; signs that people put into numbers do not matter. With a country, they also match in
 * E.164. Undefined where nothing is named.
 */
export function readNumberMatch(list: unknown, country?: string): NumberMatch | undefined {
	const entries = [list].flat().flatMap(entriesOf);
	if (entries.length === 0) return undefined;

	const exact = new Set<string>();
	const prefixes: string[] = [];
	for (const entry of entries) {
		if (entry.endsWith('*')) prefixes.push(bareNumber(entry.slice(0, -1)));
		else for (const form of formsOf(entry, country)) exact.add(form);
	}
	return (value) =>
		formsOf(value, country).some(
			(form) => exact.has(form) || prefixes.some((prefix) => form.startsWith(prefix)),
		);
}

/** Finds the entry of such a list that can be no number: one without a letter or digit, or no text or number at all. */
export function findNoNumber(list: unknown): string | undefined {
	const given = [list].flat().filter((entry) => entry !== undefined && entry !== null);
	const odd = given.find((entry) => !['string', 'number'].includes(typeof entry));
	if (odd !== undefined) return JSON.stringify(odd);
	return given.flatMap(entriesOf).find((entry) => !/[\p{L}\d]/u.test(entry));
}

function entriesOf(entry: unknown): string[] {
	return String(entry ?? '')
		.split('\n')
		.flatMap(entriesIn);
}

/** Splits a line at `,` and `;`, in linear time: what is never closed is known by the last closing signs. */
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
		// A sign that is never closed is like any other.
		if (closer !== undefined && (lasts.get(closer) ?? -1) > index)
			index = line.indexOf(closer, index + 1);
		else if (sign === ',' || sign === ';') add(index);
	}
	add(line.length);
	return entries;
}

/** A number as it stands and, where the country tells it, in E.164; both without signs. */
function formsOf(value: string, country: string | undefined): string[] {
	const known = country === undefined ? undefined : toE164(numberOf(value), country);
	return known === undefined ? [bareNumber(value)] : [bareNumber(value), known.slice(1)];
}

/** A text that is the same for all forms of a number: in E.164 where the country tells it. */
export function sameNumber(value: string, country: string | undefined): string {
	return formsOf(value, country).at(-1) ?? '';
}

/** A number without the signs that people put into it, for comparing: `+7 (495) 123-45-67` and `74951234567` give the same. */
export function bareNumber(value: string): string {
	return numberOf(value)
		.replace(/[\s()-]/g, '')
		.replace(/^\+/, '');
}
