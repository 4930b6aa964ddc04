import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/delivery';
import type { Bodies } from './growth';

const repeated = (count: number, make: (index: number) => string, between = ',') =>
	Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => make(index)).join(between);
const keys = (bytes: number) => repeated(bytes / 11, (index) => `"k${index}":0`);
/** Different spellings that are equal for readers who remove separators. */
const spelling = (index: number, name: string) =>
	`${index.toString(2).replace(/0/g, '-').replace(/1/g, '_')}${name}`;
const nestedIn = (bytes: number, open: string, close: string, inner: string) => {
	const depth = Math.floor(bytes / (open.length + close.length));
	return `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
};

/** JSON that grows in keys, entries, depth, or length, or in several of these. `entry` is a valid entry. */
export function jsonTexts(entry: object, list = 'data'): Bodies<string> {
	const valid = JSON.stringify(entry);
	return {
		'many keys': (bytes) => `{${keys(bytes)}}`,
		'many valid entries': (bytes) => `[${repeated(bytes / valid.length, () => valid)}]`,
		'entries × keys around them': (bytes) =>
			`{"${list}":[${repeated(bytes / 6, () => '{}')}],${keys(bytes / 2)}}`,
		'deep objects': (bytes) => nestedIn(bytes, `{"${list}":`, '}', '1'),
		'deep lists': (bytes) => nestedIn(bytes, '[', ']', ''),
		'texts in texts': (bytes) => textsInTexts(bytes, valid),
		'a long text': (bytes) => JSON.stringify({ ...entry, [list]: 'x'.repeat(bytes) }),
		'many spellings of one name': (bytes) =>
			`{${repeated(bytes / 36, (index) => `"${spelling(index, 'from')}":[],"${spelling(index, 'Call-ID')}":[]`)}}`,
		'many secrets': (bytes) => `{${repeated(bytes / 30, (index) => `"${index}_${TAG_NAME}":"x"`)}}`,
		'a long name': (bytes) => JSON.stringify({ ...entry, ['a-_ '.repeat(bytes / 4)]: 1 }),
	};
}

function textsInTexts(bytes: number, inner: string): string {
	let text = inner;
	for (let level = 0; level < 8; level++) {
		const next = JSON.stringify({ [TAG_NAME]: text, data: text });
		if (next.length > bytes) break;
		text = next;
	}
	return text.padEnd(bytes, ' ');
}

const parsed = (texts: Bodies<string>): Bodies<unknown> =>
	Object.fromEntries(
		Object.entries(texts).map(([name, make]) => [name, (bytes) => JSON.parse(make(bytes))]),
	);

/** The texts of {@link jsonTexts}, parsed. */
export const jsonValues = (entry: object, list?: string) => parsed(jsonTexts(entry, list));

/** Flows of valid modules that grow in depth, in width, or in a module's data. */
export const flowValues = parsed({
	'modules one after another': (bytes) =>
		nestedIn(bytes, '{"module":"play","children":{"_":', '}}', '{"module":"play"}'),
	'modules side by side': (bytes) =>
		`{"module":"menu","children":{${repeated(bytes / 28, (index) => `"${index}":{"module":"play"}`)}}}`,
	'deep data': (bytes) => `{"module":"play","data":${nestedIn(bytes, '{"a":', '}', '1')}}`,
});

/** Forms that grow in pairs, in a name's brackets, or in names with a common prefix. */
export const formTexts: Bodies<string> = {
	'many pairs': (bytes) => repeated(bytes / 9, (index) => `k${index}=1`, '&'),
	'many names below one': (bytes) => repeated(bytes / 14, (index) => `a[b][k${index}]=1`, '&'),
	'many brackets': (bytes) => `a${'[b]'.repeat(bytes / 3)}=1`,
	'many deep names': (bytes) =>
		repeated(bytes / 60, (index) => `a${'[b]'.repeat(16)}[k${index}]=1`, '&'),
	'many percent signs': (bytes) => `a=${'%41'.repeat(bytes / 3)}`,
};

/** Characters that a pattern can search for repeatedly. */
const CHARACTERS = [...`x1F \n\t"'\\<>()[]{}=&?%@:;.,-_+*/|#é💥\0`];

/** Prefixes of what patterns read. */
const PREFIXES = [
	...['\\"', '"<"', '" ', '((', '(a', 'a ', 'a@', 'a[b]', '[[', '{"a":', ';=', '//', '/../'],
	...['%4', '%41', '%25', '&amp;', '\\u0041', '1.', '1,', '-1', '2026-01-01T'],
	...['sip:', 'tel:', 'https://', '```json', 'channel_', '<message>', '<a '],
	...['token', 'passw', 'secret ', 'Authorization: ', 'Bearer ', TAG_NAME, `${TAG_NAME}=`],
	...['?token', '?token=', '&password=', '"token":"', '\\"token\\":\\"', `"${TAG_NAME}":"`],
];

const longTexts = (end: string): Bodies<string> =>
	Object.fromEntries(
		[...CHARACTERS, ...PREFIXES].map((token) => [
			JSON.stringify(token + end),
			(bytes) => token.repeat(Math.ceil(bytes / token.length)) + end,
		]),
	);

/** Long texts of one repeated token, with an end that matches no pattern. */
export const endedTexts = longTexts('\n!');
/** Also without it: a text that doesn't end like a number is rejected early. */
export const allTexts = { ...longTexts(''), ...endedTexts };
