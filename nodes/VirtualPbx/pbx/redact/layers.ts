/** A text after some decoding, with each character's position in the original. */
export interface Layer {
	text: string;
	/** The position of each character, and of the end; undefined if nothing was decoded. */
	places: Int32Array | undefined;
}

/** Nested encodings, such as JSON in JSON in a form. */
const MAX_LAYERS = 5;

/** Returns a pattern for a UTF-8 character's bytes, or a single byte, each after a prefix. */
function bytes(sign: string): string {
	const byte = (lead: string) => `${sign}${lead}[\\da-f]`;
	const more = byte('[89ab]');
	return [
		byte('[cd]') + more,
		`${byte('e')}(?:${more}){2}`,
		`${byte('f')}(?:${more}){3}`,
		byte('[\\da-f]'),
	].join('|');
}

const CODES = `${bytes('%')}|&(?:#\\d{1,7}|#x[\\da-f]{1,6}|[a-z]{2,8});`;
const SLASHES = `${bytes('\\\\x')}|\\\\u[\\da-f]{4}|\\\\[^]`;
const ESCAPES = [`${CODES}|${SLASHES}`, CODES, SLASHES].map((source) => new RegExp(source, 'gi'));

const CONTROLS: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** HTML names for ASCII punctuation: careful servers escape all of it. */
const ENTITIES = new Map(
	Object.entries({
		...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", excl: '!', num: '#', dollar: '$' },
		...{
			percnt: '%',
			lpar: '(',
			rpar: ')',
			ast: '*',
			plus: '+',
			comma: ',',
			period: '.',
			sol: '/',
		},
		...{ colon: ':', semi: ';', equals: '=', quest: '?', commat: '@', lsqb: '[', bsol: '\\' },
		...{
			rsqb: ']',
			hat: '^',
			lowbar: '_',
			grave: '`',
			lcub: '{',
			verbar: '|',
			rcub: '}',
			nbsp: ' ',
		},
	}),
);

/**
 * Returns a text as received, and decoded once, twice, and so on: percent encoding, HTML, and backslashes as in JSON,
 * all at once and, if a text has both kinds, each kind alone. Each layer takes linear time, and their number is
 * limited.
 */
export function layersOf(text: string): Layer[] {
	const layers: Layer[] = [{ text, places: undefined }];
	const hasCodes = /[%&]/.test(text);
	const hasSlashes = text.includes('\\');
	if (!hasCodes && !hasSlashes) return layers;
	for (const escapes of hasCodes && hasSlashes ? ESCAPES : ESCAPES.slice(0, 1)) {
		let layer = layers[0] && decoded(layers[0], escapes);
		for (let count = 0; layer && count < MAX_LAYERS; count++) {
			layers.push(layer);
			layer = decoded(layer, escapes);
		}
	}
	return layers;
}

/** Removes one encoding; undefined if there is none. */
function decoded({ text, places }: Layer, escapes: RegExp): Layer | undefined {
	const next = new Int32Array(text.length + 1);
	const parts: string[] = [];
	let length = 0;
	let from = 0;
	const keep = (to: number) => {
		for (let index = from; index < to; index++) next[length++] = places?.[index] ?? index;
		if (to > from) parts.push(text.slice(from, to));
	};
	for (const { 0: escape, index } of text.matchAll(escapes)) {
		const plain = plainOf(escape);
		if (plain === undefined) continue;
		keep(index);
		next.fill(places?.[index] ?? index, length, length + plain.length);
		length += plain.length;
		parts.push(plain);
		from = index + escape.length;
	}
	if (from === 0) return undefined;
	keep(text.length);
	next[length] = places?.[text.length] ?? text.length;
	return { text: parts.join(''), places: next };
}

/** Returns an escape's characters; undefined for a name that HTML doesn't have. */
function plainOf(escape: string): string | undefined {
	if (escape.startsWith('&')) return entity(escape.slice(1, -1).toLowerCase());
	if (escape.length === 2) return CONTROLS[escape.charAt(1)] ?? escape.charAt(1);
	const digits = escape.replace(/%|\\[ux]/gi, '');
	if (digits.length === 2 || /^\\u/i.test(escape))
		return String.fromCharCode(Number.parseInt(digits, 16));
	return Buffer.from(digits, 'hex').toString('utf8');
}

function entity(name: string): string | undefined {
	if (!name.startsWith('#')) return ENTITIES.get(name);
	const digits = name.slice(1);
	const code = digits.startsWith('x') ? Number.parseInt(digits.slice(1), 16) : Number(digits);
	return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
