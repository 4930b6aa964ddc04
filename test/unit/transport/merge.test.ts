import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { isLost, mergeDocument, mergeNames } from '../../../nodes/VirtualPbx/transport/changes';

const document = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<IDataObject>;
const ownNames = ['id', 'rev', 'revision', 'featurecode'];
const keepsByItself = (name: string) =>
	ownNames.includes(name) || /^(_|pvt_|account_(id|db)$|(creat|modifi|updat)ed(_at)?$)/.test(name);

describe('mergeDocument', () => {
	it('never loses a field that a user may have set, and never sends what the PBX keeps', () => {
		fc.assert(
			fc.property(document, document, (current, changes) => {
				const merged = mergeDocument(current, changes);
				for (const [name, value] of Object.entries(current)) {
					if (Object.hasOwn(changes, name)) continue;
					if (keepsByItself(name)) continue;
					expect(Object.hasOwn(merged, name)).toBe(true);
					expect(merged[name]).toBe(value);
				}
				for (const [name, value] of Object.entries(changes)) expect(merged[name]).toBe(value);
				expect(
					Object.keys(merged).every(
						(name) => Object.hasOwn(current, name) || Object.hasOwn(changes, name),
					),
				).toBe(true);
			}),
		);
	});

	it('leaves both inputs as they are', () => {
		fc.assert(
			fc.property(document, document, (current, changes) => {
				const before = JSON.stringify([current, changes]);
				mergeDocument(current, changes);
				expect(JSON.stringify([current, changes])).toBe(before);
			}),
		);
	});

	it('takes a change to undefined as not named, and one to null, false or empty as named', () => {
		const current = { name: 'a', numbers: ['1'], fakenumber: true, patterns: ['^1'] };
		const changes = {
			name: undefined,
			numbers: [],
			fakenumber: false,
			patterns: null,
		} as IDataObject;

		expect(mergeDocument(current, changes)).toEqual({
			name: 'a',
			numbers: [],
			fakenumber: false,
			patterns: null,
		});
	});

	it.each([
		['id', 'x'],
		['_rev', '1'],
		['pvt_type', 'callflow'],
		['created', 63_000_000_000],
		['featurecode', true],
	])('does not send %s back', (name, value) => {
		expect(mergeDocument({ [name]: value, kept: 1 }, {})).toEqual({ kept: 1 });
	});

	it('sends back a feature code that is an object, since it is stored', () => {
		const featurecode = { name: 'park', number: '3' };
		expect(mergeDocument({ featurecode }, {})).toEqual({ featurecode });
	});
});

describe('mergeNames', () => {
	it('keeps every name that is not given', () => {
		fc.assert(
			fc.property(document, document, (current, changes) => {
				const merged = mergeNames(current, changes);
				expect(new Set(Object.keys(merged))).toEqual(
					new Set([...Object.keys(current), ...Object.keys(changes)]),
				);
			}),
		);
	});

	it.each([undefined, null, 'text', [1]])('takes %j as nothing to keep', (current) => {
		expect(mergeNames(current, { a: '1' })).toEqual({ a: '1' });
	});
});

describe('a value of a document', () => {
	it.each<[unknown, unknown]>([
		['a', undefined],
		['a', null],
		['a', ''],
		[0, undefined],
		[false, true],
		[true, undefined],
		[{ a: 1 }, {}],
		[
			{ a: 1, b: { c: 2 } },
			{ a: 1, b: {} },
		],
		[{ a: 1 }, 'a'],
		[['a', 'b'], ['a']],
		[['a'], 'a'],
	])('is lost where it was %j and is %j', (before, after) => {
		expect(isLost(before, after)).toBe(true);
	});

	it.each<[unknown, unknown]>([
		['a', 'b'],
		[1, 2],
		['1', 1],
		[false, false],
		['', undefined],
		[{}, undefined],
		[[], null],
		[{ a: 1 }, { a: 2, b: 3 }],
		[['a'], ['b', 'c']],
	])('is not lost where it was %j and is %j', (before, after) => {
		expect(isLost(before, after)).toBe(false);
	});
});
