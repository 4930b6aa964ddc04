import fc from 'fast-check';
import type { IExecuteFunctions, IDataObject } from 'n8n-workflow';

import type { CallOutput } from '../../../nodes/VirtualPbx/calls/call';
import { defineOutput, readShape, labelFile } from '../../../nodes/VirtualPbx/parameters/output';
import {
	addedValues,
	defineTextList,
	itemScope,
	propertiesOf,
} from '../../../nodes/VirtualPbx/parameters/parameter';

const context = { getNode: () => ({ name: 'Virtual PBX' }) } as unknown as IExecuteFunctions;
const NUMBERS = { displayName: 'Numbers', name: 'numbers', type: 'string', default: '' } as const;
const read = (value: unknown, separator = /[,;\n]/) =>
	defineTextList({ ...NUMBERS, separator }).readIfAdded(
		addedValues({ context, itemIndex: 2 }, { numbers: value as string }),
	);

describe('readTextList', () => {
	it.each([
		['100', ['100']],
		[' 100 , 200;300\n400 ', ['100', '200', '300', '400']],
		['100,', ['100']],
		[100, ['100']],
		[
			['100', 200],
			['100', '200'],
		],
		['["100", "200"]', ['100', '200']],
		['["100" 200"]', ['["100" 200"]']],
		[['100', '100'], ['100']],
		[[], []],
		['[]', []],
	])('reads %j', (value, list) => {
		expect(read(value)).toEqual(list);
	});

	it.each([[''], [' '], [','], ['1,,2'], [',1'], [['']], [[null]], [null], [undefined], ['[""]']])(
		'refuses %j, naming field and item',
		(value) => {
			expect(() => read(value)).toThrow(
				expect.objectContaining({
					message: "'Numbers' contains an empty entry",
					context: expect.objectContaining({ itemIndex: 2 }),
				}),
			);
		},
	);

	it.each([[[{}]], [{ a: 1 }], [true], [['1', false]]])('refuses %j as no text', (value) => {
		expect(() => read(value)).toThrow("'Numbers' contains an entry that isn't text or a number");
	});

	it('keeps commas and brackets of patterns, one per line', () => {
		expect(read('^2\\d{2,3}$\r\n["x]', /\r?\n/)).toEqual(['^2\\d{2,3}$', '["x]']);
		expect(read('[12]"3"', /\r?\n/)).toEqual(['[12]"3"']);
	});

	it('gives an array back as it is, trimmed and without doubles', () => {
		const entry = fc.string().filter((text) => text.trim() !== '');
		fc.assert(
			fc.property(fc.array(entry), (list) => {
				expect(read(list)).toEqual([...new Set(list.map((text) => text.trim()))]);
			}),
		);
	});
});

const raw = { callId: 'call', A: '1', b: { c: { d: 2 }, e: null }, f: [1] };
const simple = { a: 1, A: 'simple' };
const details = { inner: 3 };
const toSimple = (_: IDataObject, { includeDetails }: CallOutput) =>
	includeDetails ? { ...simple, details } : simple;

/** Shapes one object as the node, or a tool made of it, would with these parameters. */
function shape(parameters: IDataObject, type = 'n8n-nodes-virtual-pbx.virtualPbx') {
	const context = {
		getNode: () => ({ type }),
		getNodeParameter: (name: string, _: number, fallback: unknown) => parameters[name] ?? fallback,
	};
	const at = itemScope(context as unknown as IExecuteFunctions, 0);
	const toRaw = (object: IDataObject) => object;
	return readShape(at, { toSimple, toRaw }, undefined)(raw);
}
describe('the form of an item', () => {
	it.each([
		[{}, simple],
		[{ simplify: 'true' }, simple],
		[{ options: { includeDetails: true } }, { ...simple, details }],
		[{ simplify: false }, raw],
		[{ simplify: false, output: 'simplified' }, raw],
	])('is what Simplify says: %j', (parameters, expected) => {
		expect(shape(parameters)).toEqual(expected);
	});

	const only = (selectedFields: string[] | string) => ({
		output: 'selectedFields',
		selectedFields,
	});
	it.each([
		[{}, simple],
		[{ output: 'raw' }, raw],
		[{ output: 'simplified', simplify: false }, simple],
		[
			only(['a', 'b.c.d', 'inner', 'details.inner']),
			{ callId: 'call', a: 1, 'b.c.d': 2, inner: 3, 'details.inner': 3 },
		],
		[only('A, f ,missing,b.x.y'), { callId: 'call', A: 'simple', f: [1] }],
		[only(['constructor', '__proto__', '']), { callId: 'call' }],
		[{ output: 'selectedFields' }, simple],
	])('is what Output says, for an AI agent: %j', (parameters, expected) => {
		expect(shape(parameters, 'n8n-nodes-virtual-pbx.virtualPbxTool')).toEqual(expected);
	});
});

it('offers Simplify to people and Output to agents', () => {
	const properties = propertiesOf(defineOutput({ b: 1, details: { a: null } }, ['C']));
	expect(properties).toMatchObject([
		{ displayOptions: { hide: { '@tool': [true] } } },
		{ displayOptions: { show: { '@tool': [true] } } },
		{ options: ['a', 'b', 'C'].map((name) => ({ name, value: name })) },
	]);
});

/** Labels a file that begins like nothing known. */
const label = (file: string, address = '', headers = {}, start = Buffer.from('sound')) =>
	labelFile({ headers, address, start }, file);

describe('the name of a recording', () => {
	it.each([
		...['hash#tag.wav', 'what?.wav', '50%.wav', 'a%20b.wav', 'my call.wav', 'c1@host.wav'].map(
			(file) => [file, '', file],
		),
		['2026/11/a.mp3', '', 'a.mp3'],
		['', 'https://r.example/x/b%20c.wav?sig=1', 'b c.wav'],
		['', 'https://r.example/x/hash%23tag.wav#end', 'hash#tag.wav'],
		['', 'https://r.example/', 'recording'],
	])(
		'is that of REC_FILE %j or else of the address %j: %j',
		(file = '', address = '', name = '') => {
			expect(label(file, address).fileName).toBe(name);
		},
	);

	it.each([
		['..', 'recording'],
		['../../etc/passwd', 'passwd'],
		['a\\..\\..', 'recording'],
		['.htaccess', 'htaccess'],
		['a\0b.mp3', 'ab.mp3'],
		['a\r\nb.mp3', 'ab.mp3'],
		['call\u202E3pm.exe', 'call3pm.exe'],
		['\u2066a\u2069.mp3', 'a.mp3'],
		['\uFEFFa.mp3', 'a.mp3'],
		['a\uD800.mp3', 'a.mp3'],
		['CON', 'CON_'],
		['nul.mp3', 'nul_.mp3'],
		['com1.tar.gz', 'com1_.tar.gz'],
		['console.mp3', 'console.mp3'],
		['a.mp3. . ', 'a.mp3'],
		['\t \n', 'recording'],
		[`${'я'.repeat(300)}.mp3`, `${'я'.repeat(125)}.mp3`],
		[`${'😀'.repeat(300)}.mp3`, `${'😀'.repeat(62)}.mp3`],
		['x'.repeat(1_000_000), 'x'.repeat(255)],
	])('is one that any system takes, whatever the PBX says: %#', (file, name) => {
		expect(label(file).fileName).toBe(name);
	});

	it('has the type that the PBX states', () => {
		const headers = { 'content-type': 'Audio/X-Wav; rate=8000' };
		expect(label('c1@10.0.0.1', '', headers, Buffer.from('OggS'))).toEqual({
			fileName: 'c1@10.0.0.1',
			mimeType: 'audio/x-wav',
		});
	});

	it.each([
		...['application/octet-stream', 'text/html', 'constructor', '__proto__', 'mp3', ''].map(
			(type) => [type, 'sound', 'application/octet-stream'],
		),
		...['\xFF\xFEt\0e\0x\0t\0', '\xFF\xD8\xFF', 'RIFF\x24\0\0\0AVI ', 'WAVE'].map((start) => [
			'',
			start,
			'application/octet-stream',
		]),
		['', 'RIFF\x24\n\0\0WAVEfmt ', 'audio/wav'],
		['', 'ID3\x04\0', 'audio/mpeg'],
		['', '\xFF\xFB\x90\x64', 'audio/mpeg'],
		['', '\xFF\xF3\x40\xC4', 'audio/mpeg'],
		['', 'OggS\0\x02', 'audio/ogg'],
		['', 'fLaC\0', 'audio/flac'],
		['', '\0\0\n\x20ftypM4A ', 'audio/mp4'],
	])(
		'stated as %j, has the type of sound that it begins with: %j',
		(stated, start = '', type = '') => {
			const headers = { 'content-type': stated };
			expect(label('c1@10.0.0.1', '', headers, Buffer.from(start, 'latin1')).mimeType).toBe(type);
		},
	);

	it('leaves the type to n8n only if the name has an extension of sound, and the bytes show none', () => {
		expect(label('a.mp3').mimeType).toBeUndefined();
		expect(label('a.mp3', '', {}, Buffer.from('OggS')).mimeType).toBe('audio/ogg');
	});
});
