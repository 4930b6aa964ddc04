import { layersOf } from './layers';
import { namedValues } from './named';

/** What stands in place of a secret. */
export const MASK = '***';

/** Shorter secrets are guessed at once, and are part of every text: they are not masked. */
const SHORTEST = 4;
/** Shorter ones are part of ordinary words: they are masked only where they stand alone. */
export const LONG = 6;
/** Longer texts are cut off: those that a PBX logs and its errors are far shorter. */
const LONGEST_TEXT = 262_144;

/** A known secret in one of its forms, folded. */
interface Form {
	text: string;
	isBase64: boolean;
}

/** What to look for in texts. */
export interface Wanted {
	forms: readonly Form[];
	/** Whatever is named like a secret, too. */
	isNamed: boolean;
	/** So many hexadecimal digits in a row may be a webhook's secret. */
	leastHex: number;
}

/** The forms in which known secrets are looked for; those that only encode characters are found without a form. */
export function formsOf(secrets: readonly string[]): Form[] {
	const known = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST);
	const coded = known.filter(({ length }) => length >= LONG).flatMap(base64Of);
	const all = [
		...known.map((text) => ({ text, isBase64: false })),
		...coded.map((text) => ({ text, isBase64: true })),
	];
	// What looks like an escape in a secret is decoded as well.
	const forms = all.flatMap(({ text, isBase64 }) =>
		layersOf(text).map((layer) => ({ text: folded(layer.text), isBase64 })),
	);
	const unique = new Map(forms.map((form) => [form.text, form]));
	return [...unique.values()].filter(({ text }) => text.length >= SHORTEST);
}

/** The characters that only the secret decides, wherever it stands in what was encoded, in both alphabets. */
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

/** A text as it is compared: forms write a space as `+`; no other change of case than ASCII's keeps every length. */
function folded(text: string): string {
	return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll('+', ' ');
}

type Span = [start: number, end: number];

/** Masks secrets in a text, in whatever encoding, in linear time; a text of more than 256 Ki characters is cut off. */
export function maskText(text: string, wanted: Wanted): string {
	const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
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

/** @param isInner of what base64 has hidden: nothing is hidden twice */
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

/** The characters beside hold some bits of a secret; then comes the padding. */
function widened(text: string, start: number, end: number): Span {
	const [after = ''] = /^[\w+/-]?={0,2}/.exec(text.slice(end, end + 3)) ?? [];
	return [BASE64_SIGN.test(text.charAt(start - 1)) ? start - 1 : start, end + after.length];
}

/** No digit of an escape such as `%3D` counts; a tag of ours (`owner.settings.secret`) may be cut off. */
const HEX = /(?<!%|%[\da-f])(?:[\da-f]{16}\.[\da-f]{8}\.[\da-f]+|[\da-f]{33,})/gi;

function hexIn(text: string, least: number): Span[] {
	return [...text.matchAll(HEX)]
		.filter(({ 0: { length }, 0: digits }) => length >= least || digits.includes('.'))
		.map(({ 0: { length }, index }): Span => [index, index + length]);
}

/** Long enough for a webhook's secret; shorter ones are found by what they hold. */
const BASE64 = /[\w+/-]{80,}/g;

function hiddenIn(text: string, wanted: Wanted): Span[] {
	return [...text.matchAll(BASE64)]
		.filter(({ 0: run }) =>
			// Other signs of the alphabet may stand before it, such as the path of an address.
			[0, 1, 2, 3].some((offset) => {
				const inner = Buffer.from(run.slice(offset), 'base64').toString('latin1');
				return spansIn(inner, wanted, true).length > 0;
			}),
		)
		.map(({ 0: { length }, index }): Span => [index, index + length]);
}
