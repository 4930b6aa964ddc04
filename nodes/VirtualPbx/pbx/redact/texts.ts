import { layersOf } from './layers';
import { namedValues } from './named';

/** The replacement for a secret. */
export const MASK = '***';

/** Shorter secrets aren't masked: they are easily guessed, and part of every text. */
const SHORTEST = 4;
/** Shorter secrets occur in ordinary words: they are masked only as separate words. */
export const LONG = 6;
/** Longer texts are truncated: PBX logs and errors are far shorter. */
const MAX_TEXT = 262_144;

/** A known secret in one of its forms, case-folded. */
interface Form {
	text: string;
	isBase64: boolean;
}

/** The secrets to find in texts. */
export interface Wanted {
	forms: readonly Form[];
	/** Whether to mask anything named like a secret, too. */
	isNamed: boolean;
	/** This many hexadecimal digits in a row can be a webhook secret. */
	leastHex: number;
}

/** Returns the forms to search for. Forms that only encode characters aren't needed, since texts are decoded first. */
export function formsOf(secrets: readonly string[]): Form[] {
	const known = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST);
	const coded = known.filter(({ length }) => length >= LONG).flatMap(base64Of);
	const all = [
		...known.map((text) => ({ text, isBase64: false })),
		...coded.map((text) => ({ text, isBase64: true })),
	];
	// Decoded too, in case a secret contains what looks like an escape.
	const forms = all.flatMap(({ text, isBase64 }) =>
		layersOf(text).map((layer) => ({ text: folded(layer.text), isBase64 })),
	);
	const unique = new Map(forms.map((form) => [form.text, form]));
	return [...unique.values()].filter(({ text }) => text.length >= SHORTEST);
}

/** Returns the base64 characters that depend on the secret alone, at each possible offset, in both alphabets. */
function base64Of(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [0, 1, 2].flatMap((shift) => {
		const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url');
		const core = text.slice(
			Math.ceil((shift * 8) / 6),
			Math.floor(((shift + bytes.length) * 8) / 6),
		);
		return [core, core.replaceAll('-', '+').replaceAll('_', '/')];
	});
}

/**
 * Folds a text for comparing: forms write a space as `+`. Only ASCII case changes, since other case changes can alter
 * the length.
 */
function folded(text: string): string {
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll('+', ' ');
}

type Span = [start: number, end: number];

/** Masks secrets in a text, in any encoding, in linear time. Truncates a text of more than 256 Ki characters. */
export function maskText(text: string, wanted: Wanted): string {
	const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
	const spans = spansIn(cut, wanted);
	if (spans.length === 0) return cut;
	spans.sort(([one], [other]) => one - other);
	const parts: string[] = [];
	let end = 0;
	for (const [start, stop] of spans) {
		if (start >= end) parts.push(cut.slice(end, start), MASK);
		end = Math.max(end, stop);
	}
	return parts.concat(cut.slice(end)).join('');
}

/** @param isInner the text was hidden in base64, and isn't searched for another base64 layer */
function spansIn(text: string, wanted: Wanted, isInner = false): Span[] {
	return layersOf(text).flatMap((layer) => {
		const spans = [
			...knownIn(layer.text, wanted.forms),
			...hexIn(layer.text, wanted.leastHex),
			...(wanted.isNamed ? namedValues(layer.text) : []),
			...(isInner ? [] : hiddenIn(layer.text, wanted)),
		];
		const { places } = layer;
		return places
			? spans.map(([start, end]): Span => [places[start] ?? 0, places[end] ?? text.length])
			: spans;
	});
}

const IS_WORD = /[\p{L}\p{N}]/u;
const BASE64_SIGN = /[\w+/-]/;

function knownIn(text: string, forms: readonly Form[]): Span[] {
	const spans: Span[] = [];
	const searched = forms.length === 0 ? '' : folded(text);
	for (const { text: form, isBase64 } of forms) {
		const isAlone = form.length < LONG;
		let start = searched.indexOf(form);
		for (; start >= 0; start = searched.indexOf(form, start + form.length)) {
			const end = start + form.length;
			if (isAlone && (IS_WORD.test(text.charAt(start - 1)) || IS_WORD.test(text.charAt(end))))
				continue;
			spans.push(isBase64 ? widened(text, start, end) : [start, end]);
		}
	}
	return spans;
}

/** Extends a span to the adjacent characters, which hold some bits of the secret, and to the padding. */
function widened(text: string, start: number, end: number): Span {
	const [after = ''] = /^[\w+/-]?={0,2}/.exec(text.slice(end, end + 3)) ?? [];
	return [BASE64_SIGN.test(text.charAt(start - 1)) ? start - 1 : start, end + after.length];
}

/** Ignores the digits of an escape such as `%3D`. Our tag (`owner.settings.secret`) can be cut off. */
const HEX = /(?<!%|%[\da-f])(?:[\da-f]{16}\.[\da-f]{8}\.[\da-f]+|[\da-f]{33,})/gi;

function hexIn(text: string, least: number): Span[] {
	return [...text.matchAll(HEX)]
		.filter(({ 0: { length }, 0: digits }) => length >= least || digits.includes('.'))
		.map(({ 0: { length }, index }): Span => [index, index + length]);
}

/** Long enough for a webhook secret. Shorter secrets are found by their content. */
const BASE64 = /[\w+/-]{80,}/g;

function hiddenIn(text: string, wanted: Wanted): Span[] {
	return [...text.matchAll(BASE64)]
		.filter(({ 0: run }) =>
			// Other characters of the alphabet can precede it, such as the path of an address.
			[0, 1, 2, 3].some((offset) => {
				const inner = Buffer.from(run.slice(offset), 'base64').toString('latin1');
				return spansIn(inner, wanted, true).length > 0;
			}),
		)
		.map(({ 0: { length }, index }): Span => [index, index + length]);
}
