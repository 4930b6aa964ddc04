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
	const open = valid.slice(0, -1);
	return {
		'many keys': (bytes) => `{${keys(bytes)}}`,
		'a valid entry with many keys': (bytes) => `${open},${keys(bytes)}}`,
		'many empty entries': (bytes) => `[${repeated(bytes / 3, () => '{}')}]`,
		'many valid entries': (bytes) => `[${repeated(bytes / valid.length, () => valid)}]`,
		'entries × keys around them': (bytes) =>
			`{"${list}":[${repeated(bytes / 6, () => '{}')}],${keys(bytes / 2)}}`,
		'100 entries × keys around them': (bytes) =>
			`{"${list}":[${repeated(Math.min(100, bytes / 40), () => '{"name":"a"}')}],${keys(bytes)}}`,
		'valid entries × keys around them': (bytes) =>
			`{"${list}":[${repeated(bytes / valid.length / 2, () => valid)}],${keys(bytes / 2)}}`,
		'entries × entries': (bytes) =>
			`[${repeated(Math.sqrt(bytes) / 4, () => `[${repeated(Math.sqrt(bytes), () => '{}')}]`)}]`,
		'envelopes in envelopes': (bytes) =>
			nestedIn(bytes, `{"k":0,"${list}":[{},`, ']}', '{"name":"a"}'),
		'deep objects': (bytes) => nestedIn(bytes, `{"${list}":`, '}', '1'),
		'deep lists': (bytes) => nestedIn(bytes, '[', ']', ''),
		'many short lists': (bytes) => `{"${list}":[${repeated(bytes / 3, () => '[]')}]}`,
		'a list of nulls': (bytes) => `{"${list}":[${repeated(bytes / 5, () => 'null')}]}`,
		'texts in texts': (bytes) => textsInTexts(bytes, valid),
		'a long text': (bytes) => JSON.stringify({ ...entry, [list]: 'x'.repeat(bytes) }),
		'text of JSON': (bytes) =>
			JSON.stringify({ ...entry, [list]: `[${repeated(bytes / 3, () => '{}')}]` }),
		'many spellings of one name': (bytes) =>
			`{${repeated(bytes / 36, (index) => `"${spelling(index, 'from')}":[],"${spelling(index, 'Call-ID')}":[]`)}}`,
		'many secrets': (bytes) => `{${repeated(bytes / 30, (index) => `"${index}_${TAG_NAME}":"x"`)}}`,
		'many texts that resemble a secret': (bytes) =>
			`{${repeated(bytes / 40, (index) => `"k${index}":"{${TAG_NAME} ${index}"`)}}`,
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

/** The texts of {@link jsonTexts}, parsed. */
export function jsonValues(entry: object, list?: string): Bodies<unknown> {
	return Object.fromEntries(
		Object.entries(jsonTexts(entry, list)).map(([name, make]) => [
			name,
			(bytes: number) => JSON.parse(make(bytes)) as unknown,
		]),
	);
}

/** Flows of valid modules that grow in depth, in width, or in a module's data. */
export const flowValues: Bodies<unknown> = {
	'modules one after another': (bytes) =>
		JSON.parse(nestedIn(bytes, '{"module":"play","children":{"_":', '}}', '{"module":"play"}')),
	'modules side by side': (bytes) =>
		JSON.parse(
			`{"module":"menu","children":{${repeated(bytes / 28, (index) => `"${index}":{"module":"play"}`)}}}`,
		),
	'deep data': (bytes) =>
		JSON.parse(`{"module":"play","data":${nestedIn(bytes, '{"a":', '}', '1')}}`),
};

/** Forms that grow in pairs, in a name's brackets, or in names with a common prefix. */
export const formTexts: Bodies<string> = {
	'many pairs': (bytes) => repeated(bytes / 9, (index) => `k${index}=1`, '&'),
	'pairs of one name': (bytes) => repeated(bytes / 4, () => 'a=1', '&'),
	'many names with brackets': (bytes) => repeated(bytes / 16, (index) => `k${index}[a][b]=1`, '&'),
	'many names below one': (bytes) => repeated(bytes / 14, (index) => `a[b][k${index}]=1`, '&'),
	'many brackets': (bytes) => `a${'[b]'.repeat(bytes / 3)}=1`,
	'many opening brackets': (bytes) => `a${'['.repeat(bytes)}=1`,
	'many deep names': (bytes) =>
		repeated(bytes / 60, (index) => `a${'[b]'.repeat(16)}[k${index}]=1`, '&'),
	'many separators': (bytes) => `a=1${'&'.repeat(bytes)}`,
	'many percent signs': (bytes) => `a=${'%41'.repeat(bytes / 3)}`,
	'broken percent signs': (bytes) => `a=${'%'.repeat(bytes)}`,
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

/** Long texts of one repeated token. */
export const longTexts: Bodies<string> = Object.fromEntries(
	[...CHARACTERS, ...PREFIXES].map((token) => [
		JSON.stringify(token),
		(bytes: number) => token.repeat(Math.ceil(bytes / token.length)),
	]),
);

/** The same, with an end that matches no pattern. */
export const endedTexts: Bodies<string> = Object.fromEntries(
	Object.entries(longTexts).map(([token, make]) => [
		`${token} and an end`,
		(bytes: number) => `${make(bytes)}\n!`,
	]),
);
