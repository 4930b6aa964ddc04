import { percentDecoded } from './json';

/** A party in a call, as a PBX writes it. */
export interface Party {
	/** Percent-decoded, without invisible characters. */
	number: string;
	/** Not empty; absent if the text has no name. */
	name?: string;
}

/** One end of a call. */
export interface End {
	/** Undefined if the caller withholds it. */
	number: string | undefined;
	name?: string | undefined;
	/** The text with both number and name. */
	text: string;
	/** The host of a SIP URI, in lower case. */
	host?: string | undefined;
}

/** Reads the called end of a call from a text in any form that PBXs write; undefined if it has no number. */
export function readEnd(text: string | undefined): End | undefined {
	if (text === undefined) return undefined;
	const { number, name } = readParty(text);
	return number === ''
		? undefined
		: { number, name: nameBeside(number, name), text, host: hostIn(text) };
}

/** Reads the calling end of a call. An empty user, a placeholder, and zeros mean that the caller withholds the number. */
export function readCaller(text: string | undefined): End | undefined {
	if (text === undefined) return undefined;
	const { number, name } = readParty(text);
	const host = hostIn(text);
	const isWithheld =
		number === '' ||
		NO_USER.test(text) ||
		isWithheldWord(number) ||
		isWithheldNumber(number) ||
		(number.endsWith('.invalid') && isWithheldHost(number, '')) ||
		(host !== undefined && isWithheldHost(host, number));
	return isWithheld
		? { number: undefined, name: nameBeside('', name), text, host }
		: { number, name: nameBeside(number, name), text, host };
}

/** A URI without a user, such as `<sip:@trunk.example>`, `sip:192.0.2.1`, or `sip:[2001:db8::1]`. */
const NO_USER =
	/^(?:[^<]*<)?\s*(?:sips?:)?(?:@|\[[\da-f:.]+\]|(?:\d{1,3}\.){3}\d{1,3}(?:[:;>]|$))/i;

/** `anonymous.invalid` and the like hide any user; `unknown` alone only a user that isn't a number. */
function isWithheldHost(host: string, user: string): boolean {
	const word = host.endsWith('.invalid') ? host.slice(0, -'.invalid'.length) : host;
	if (word.includes('.') || (word === 'unknown' && /^\+?\d/.test(user))) return false;
	return isWithheldWord(word);
}

/** Returns the host of the SIP URI in a text, without its port. */
function hostIn(text: string): string | undefined {
	const host = /@(\[[^\]\s]+\]|[^\s@<>"();:?,]+)/.exec(text)?.[1];
	return host?.toLowerCase();
}

/** Names that switches fill in by themselves: FreeSWITCH's own for each leg that it places. */
const NO_NAME = /^(?:outbound call|<?unknown>?)$/i;

/**
 * Returns a party's name; undefined for one that switches fill in, that says that the number is withheld, or that only
 * repeats the number.
 */
export function nameBeside(
	number: string | undefined,
	name: string | undefined,
): string | undefined {
	const shown = visibleName(name);
	if (shown === undefined || NO_NAME.test(shown) || isWithheldWord(shown)) return undefined;
	if (number === undefined || number === '') return isNumber(shown) ? undefined : shown;
	const asNumber = numberOf(shown);
	const isRepeated = asNumber === number || (isNumber(asNumber) && isSameNumber(asNumber, number));
	return isRepeated ? undefined : shown;
}

/** How many of the last digits must agree in two forms of a number. */
const SAME_DIGITS = 7;

/**
 * Returns whether two numbers can be the same one, such as in national and international form, or with a digit for an
 * outside line in front: all digits of the shorter one except the first two agree, at least seven.
 */
export function isSameNumber(one: string, other: string): boolean {
	const [a, b] = [one, other].map((text) => text.replace(/\D/g, '')) as [string, string];
	if (a === b) return a !== '';
	const shorter = Math.min(a.length, b.length);
	if (a.length === b.length && shorter <= SAME_DIGITS + 1) return false;
	let same = 0;
	while (same < shorter && a.at(-1 - same) === b.at(-1 - same)) same++;
	return same >= Math.max(SAME_DIGITS, shorter - 2);
}

/** A display name, quoted or not, an address in angle brackets, and its parameters (`;tag=…`). */
const NAME_ADDR = /^("(?:[^"\\]|\\.)*"\s*|[^<]*)<([^<>]*)>\s*(?:;.*)?$/s;

/** The usual forms, which hold only a number: `12125550123`, `100@host`, and `sip:100@host`. */
const USUAL = /^(?:sips?:)?([^\s@<>"();:?%]+)(?:@[^\s@<>"()]+)?$/i;

/**
 * Reads the number and name of a caller or called party: a SIP or tel URI (§2.4), `user@host`, a name-addr, a number
 * with a name in parentheses such as `171 (IVANOVA MA)`, or a bare number. In an unknown form, the whole text is the
 * number.
 */
export function readParty(value: string): Party {
	const usual = USUAL.exec(value)?.[1];
	if (usual !== undefined) return { number: withoutExtension(visible(usual)) };
	const text = value.trim();
	const { number, name } = readNameAddr(text) ??
		readNamed(text) ?? { number: userOf(text) ?? bareText(text) };
	return party(withoutExtension(visible(number)), visibleName(name) ?? '');
}

/** Cuts the parameters behind a bare number or word, such as `;verstat=…`, and decodes a number such as `%2B1212…`. */
function bareText(text: string): string {
	const cut = /^[^\s;]+(?=;[\w.-]+(?:=|;|$))/.exec(text)?.[0] ?? text;
	const decoded = percentDecoded(cut);
	return decoded !== cut && isNumber(decoded) ? decoded : cut;
}

/** A number, what separates it from the extension behind it, and the extension. */
const WITH_EXTENSION =
	/^([+(]?\d[\d\s().-]{4,30}?)\s{0,3}(?:,.*|;.*|#\d+|(?:x|ext|extn|extension|доб(?:авочный)?|вн|anexo|poste|durchwahl|dw|int|dahili|wew)[.:]?\s*\d+)$/isu;

/** Cuts the extension behind a number: it belongs to the other side's PBX. */
function withoutExtension(number: string): string {
	if (!/[,;#\p{L}]/u.test(number)) return number;
	return WITH_EXTENSION.exec(number)?.[1]?.trim() ?? number;
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
	// `+1 (212)` is the beginning of a number: a country code and an area code.
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

/** Characters that people write between the digits of a number, including in links (`tel:`) and copied texts. */
const BETWEEN = /[\s().\-/\u2010-\u2015\p{Cf}]/gu;

/** Returns a number as it was typed, without what people write between its digits. */
export function withoutPunctuation(number: string): string {
	return number.replace(BETWEEN, '');
}

/** Returns a number for comparison, without punctuation: `+1 (212) 555-0123` is `12125550123`. */
export function bareNumber(value: string): string {
	return numberOf(value)
		.replace(/[\s()-]/g, '')
		.replace(/^\+/, '');
}

/** Words by which switches and providers show that a caller withholds the number, without accents. */
const WORDS = new Set(
	`anonym anonyme anonymer anonymous anonymity asserted blocked confidential hidden no none not null private restricted
	secret suppressed unavail unavailable undefined undisclosed unidentified unknown withheld
	anonimo anonima bloqueado confidencial desconocido desconhecido identificado identificar indisponivel nao oculta ocultado oculto
	privada privado restringida restringido restrito sem sin
	bloccato indisponibile nascosto non oscurato privato riservato sconosciuta sconosciuto senza
	ausgeblendet gesperrt kein keine nicht privat private privater unbekannt unbekannte unbekannter unterdruckt unterdruckte
	unterdrueckt unterdrueckte verborgen verborgene verdeckt versteckt
	bloque cache cachee confidentiel identifie inconnu inconnue indisponible masque masquee prive privee restreint sans
	anonim bilinmeyen bilinmiyor engellendi engelli engellenmis gizli kullanilamiyor ozel sakli
	anonimowy bez brak niedostepny nieznany nieznana prywatny ukryty zablokowany zastrzezony
	afgeschermd anoniem geheim onbekend verborgen dold dolt hemligt okand hemmelig hemmeligt skjult ukendt ukjent
	анонимный анонимно аноним без закрыт закрытый заблокирован запрещен засекречен засекреченный не недоступен
	недоступно неизвестен неизвестно неизвестный нет неопределен неопределенный неопределился определен определился отсутствует
	приватный секретный скрыл скрыт скрытый скрыто скрытая частный анонімний анонім невідомий прихований приховано
	匿名 未知 隐藏 非通知`
		.split(/\s+/)
		.map(plain),
);

/** Words that can be used with those. */
const BESIDE = new Set(
	`available call caller callerid calling cid disponible disponibile disponivel id line name num number party the user
	anruf anrufer nummer nr rufnummer verfugbar verfugbare verfuegbar
	appel appelant numero
	identifiant llamada llamante chiamata chiamante chamada
	numara numarasi arama arayan numer rozmowca telefon numer nummer opkald
	абонент абонентом вызов звонок известен известно имя номер номера номером`
		.split(/\s+/)
		.map(plain),
);

/** Texts whose words alone say nothing. */
const PHRASES = new Set(['nocallerid', 'out of area', 'n a']);

/** The words on a phone's keypad: anonymous, blocked, private, restricted, unavailable, unknown, withheld. */
const KEYPAD = new Set(
	'266696687 2562533 7748283 7378742833 86282452253 8656696 94844353'.split(' '),
);

/** Returns whether a text says, in the words of switches and of several languages, that the number is withheld. */
export function isWithheldWord(text: string): boolean {
	if (text.length > 60 || !/\p{L}/u.test(text)) return false;
	const words = plain(text)
		.split(/[^\p{L}]+/u)
		.filter((word) => word !== '');
	if (PHRASES.has(words.join(' '))) return true;
	const own = words.filter((word) => !BESIDE.has(word));
	return own.length > 0 && own.every((word) => WORDS.has(word));
}

/** Without accents, in lower case, and with a space in `PrivateNumber`. */
function plain(text: string): string {
	return text
		.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/ı/g, 'i')
		.replace(/ł/g, 'l')
		.replace(/\d/g, ' ');
}

/**
 * Returns whether a caller's number is none: zeros, such as Kazoo's `0000000000`, a word on the keypad, or signs alone.
 */
function isWithheldNumber(digits: string): boolean {
	return KEYPAD.has(digits.replace(/^\+/, '')) || !/[\p{L}\p{N}]/u.test(digits.replace(/0/g, ''));
}
