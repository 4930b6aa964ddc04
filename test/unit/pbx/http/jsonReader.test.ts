import fc from 'fast-check';

import { JsonParser } from '../../../../nodes/VirtualPbx/pbx/http/jsonParser';

function parse(text: string, cuts: readonly number[]): unknown {
	const json = new JsonParser();
	let from = 0;
	for (const cut of [...cuts].map((part) => Math.floor(part * text.length)).sort((a, b) => a - b)) {
		json.feed(text.slice(from, cut));
		from = cut;
	}
	json.feed(text.slice(from));
	return json.end();
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
const tricky = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.constantFrom('"', '\\', '],[', '{"data":[', '\\"', '__proto__'),
);
const record = fc.dictionary(
	fc.constantFrom('a', 'b', 'data', 'x y', '"'),
	fc.oneof(tricky, fc.integer(), fc.constant(null)),
);
const value = fc.oneof(
	fc.jsonValue(),
	fc.array(record),
	fc.record({ data: fc.array(record), status: tricky, next_start_key: tricky }),
	fc.record({
		page: fc.record({ data: fc.array(fc.integer()) }),
		data: fc.array(fc.jsonValue()),
		z: fc.jsonValue(),
	}),
	fc.record({
		a: fc.constant('data'),
		b: fc.array(fc.jsonValue()),
		data: fc.dictionary(fc.string(), record),
	}),
);
const spacing = fc.constantFrom(undefined, 2, '\t\r\n');

describe('JSON in pieces', () => {
	it('gives what JSON.parse gives, wherever the pieces begin', () => {
		fc.assert(
			fc.property(value, spacing, cuts, (json, space, at) => {
				const text = JSON.stringify(json, null, space);
				expect(parse(text, at)).toEqual(JSON.parse(text));
			}),
			{ numRuns: 2000 },
		);
	});

	it('is refused where JSON.parse refuses it, cut off or garbled', () => {
		const damage = fc.constantFrom('', ',', ']', '}', '"', 'x', '[');
		fc.assert(
			fc.property(
				value,
				fc.double({ min: 0, max: 1, noNaN: true }),
				damage,
				cuts,
				(json, place, sign, at) => {
					const text = JSON.stringify(json);
					const cut = Math.floor(place * text.length);
					const broken =
						sign === '' ? text.slice(0, cut) : text.slice(0, cut) + sign + text.slice(cut);
					let expected: unknown;
					try {
						expected = JSON.parse(broken);
					} catch {
						expect(() => parse(broken, at)).toThrow(SyntaxError);
						return;
					}
					expect(parse(broken, at)).toEqual(expected);
				},
			),
			{ numRuns: 2000 },
		);
	});

	it('remembers how it began', () => {
		const json = new JsonParser();
		json.feed('<html>');
		json.feed('</html>');
		expect(json.beginning).toBe('<html></html>');
		expect(() => json.end()).toThrow(SyntaxError);
	});
});
