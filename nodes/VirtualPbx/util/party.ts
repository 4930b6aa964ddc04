import { percentDecoded } from './json';

/** A party in a call, as a PBX writes it. */
export interface Party {
	/** Percent-decoded, without invisible characters. */
	number: string;
	/** Not empty; absent if the text has no name. */
	name?: string;
}

/** One end of a call, which has a number. */
export interface End {
	number: string;
	name?: string | undefined;
	/** The text with both number and name. */
	text: string;
}

/** Reads one end of a call from a text in any form that PBXs write; undefined if it has no number. */
export function readEnd(text: string | undefined): End | undefined {
	if (text === undefined) return undefined;
	const { number, name } = readParty(text);
	return number === '' ? undefined : { number, name, text };
}

/** A display name, quoted or not, an address in angle brackets, and its parameters (`;tag=…`). */
const NAME_ADDR = /^("(?:[^"\\]|\\.)*"\s*|[^<]*)<([^<>]*)>\s*(?:;.*)?$/s;

/** The usual forms, which hold only a number: `74951234567`, `100@host`, and `sip:100@host`. */
const USUAL = /^(?:sips?:)?([^\s@<>"();:?%]+)(?:@[^\s@<>"()]+)?$/i;

/**
 * Reads the number and name of a caller or called party: a SIP or tel URI (§2.4), `user@host`, a name-addr, a number
 * with a name in parentheses such as `171 (IVANOVA MA)`, or a bare number. In an unknown form, the whole text is the
 * number.
 */
export function readParty(value: string): Party {
	const usual = USUAL.exec(value)?.[1];
	if (usual !== undefined) return { number: visible(usual) };
	const text = value.trim();
	const { number, name } = readNameAddr(text) ??
		readNamed(text) ?? { number: userOf(text) ?? text };
	return party(visible(number), visibleName(name) ?? '');
}

/** Control characters, format characters such as those that change the text direction, and line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Almost all texts in events are ASCII, for which this test is much faster. */
const ASCII = /^[ -~]*$/;

function visible(text: string): string {
	return ASCII.test(text) ? text : text.replace(INVISIBLE, '');
}

/** Returns a name on one line without invisible characters; undefined if empty. */
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

/** Returns the number that {@link readParty} reads; an empty text for an empty value. */
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

/** Reads `171 (IVANOVA MA)`: a number, SIP user, or URI, a space, and a name in parentheses at the end. */
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

/** Returns where the parenthesis that ends a text opens; -1 if there is none. */
function lastOpening(text: string): number {
	let depth = 0;
	for (let index = text.length - 1; index >= 0; index--) {
		if (text[index] === ')') depth++;
		else if (text[index] === '(' && --depth === 0) return index;
	}
	return -1;
}

/** Returns the user part of a URI or of `user@host`; undefined for anything else. */
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

/** Decodes all characters except those that other services would take for markup. */
function bareUser(user: string): string {
	return percentDecoded(user.replace(/[;:?].*/s, '')).replace(/[<>"`|&\\]/g, encodeURIComponent);
}

/** The longest number that counts as an extension. */
const EXTENSION_DIGITS = 5;

/** Returns whether all numbers, without SIP URIs and names, are known and are extensions: digits only, at most five. */
export function areExtensions(...numbers: Array<string | undefined>): boolean {
	return numbers.every(
		(number) => number !== undefined && number.length <= EXTENSION_DIGITS && /^\d+$/.test(number),
	);
}

/** A placeholder for an anonymous caller's number. */
const HIDDEN = /^(?:anonymous|private|restricted|unavailable|unknown|withheld)$/i;

/** Returns whether a text is a placeholder for an anonymous caller's number. */
export function isHidden(number: string): boolean {
	return HIDDEN.test(number);
}

/** Returns whether an end has an external number, not an extension, user name, or feature code. */
export function isOutside(end: End | undefined): boolean {
	const number = end?.number;
	return number !== undefined && /^\+?[\d\s().-]+$/.test(number) && !areExtensions(number);
}

/** Returns a number for comparison, without punctuation: `+7 (495) 123-45-67` is `74951234567`. */
export function bareNumber(value: string): string {
	return numberOf(value)
		.replace(/[\s()-]/g, '')
		.replace(/^\+/, '');
}
