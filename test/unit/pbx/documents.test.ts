import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { mergeDocument } from '../../../nodes/VirtualPbx/pbx/documents';

const document = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<IDataObject>;
const keepsByItself = (name: string) =>
	['id', 'featurecode'].includes(name) || /^(_|pvt_)/.test(name);

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
		['featurecode', true],
	])('does not send %s back', (name, value) => {
		expect(mergeDocument({ [name]: value, kept: 1 }, {})).toEqual({ kept: 1 });
	});

	it('sends back a feature code that is an object, since it is stored', () => {
		const featurecode = { name: 'park', number: '3' };
		expect(mergeDocument({ featurecode }, {})).toEqual({ featurecode });
	});
});
