import fc from 'fast-check';
import type { IExecuteFunctions } from 'n8n-workflow';

import { addedValues, defineTextList } from '../../../nodes/VirtualPbx/parameters/parameter';

const context = { getNode: () => ({ name: 'Virtual PBX' }) } as unknown as IExecuteFunctions;
const read = (value: unknown, separator = /[,;\n]/) =>
	defineTextList({
		displayName: 'Numbers',
		name: 'numbers',
		type: 'string',
		default: '',
		separator,
	}).readIfAdded(addedValues({ context, itemIndex: 2 }, { numbers: value as string }));

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
