import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	findTags,
	findTagTexts,
	TAG_NAME,
	matchesSecret,
	withoutTag,
	writeTag,
	unflatten,
} from '../../../../nodes/VirtualPbx/pbx/events/delivery';
import { formPairs, placements, samples } from '../../../support/events/arbitraries';

const TAG = { settings: '1'.repeat(16), secret: 'ab'.repeat(32) };

describe('the secret of deliveries', () => {
	it('is only read from a whole tag', () => {
		expect(findTags({ [TAG_NAME]: writeTag(TAG) })).toEqual([TAG]);
		for (const text of ['', 'x', TAG.secret, `${writeTag(TAG)}0`, writeTag(TAG).slice(1)])
			expect(findTags({ [TAG_NAME]: text })).toEqual([]);
	});

	it('is found wherever a platform puts custom data, and taken out without a trace', () => {
		fc.assert(
			fc.property(samples, placements, fc.boolean(), (event, place, asForm) => {
				const { secret } = TAG;
				const own = { office: 'Riga' };
				const sent = place(event, { ...own, [TAG_NAME]: writeTag(TAG) });
				const delivery = asForm ? unflatten(formPairs(sent)) : sent;

				expect(
					matchesSecret(
						findTags(delivery).map((tag) => tag.secret),
						secret,
					),
				).toBe(true);
				const clean = withoutTag(delivery);
				expect(JSON.stringify(clean)).not.toContain(secret);
				const expected = place(event, own);
				expect(clean).toEqual(asForm ? unflatten(formPairs(expected)) : expected);
			}),
		);
	});

	it('leaves a delivery without a secret as the very same object', () => {
		fc.assert(
			fc.property(fc.object(), (value) => {
				expect(withoutTag(value as IDataObject)).toBe(value);
			}),
		);
	});

	it('accepts only the whole secret', () => {
		fc.assert(
			fc.property(fc.array(fc.string()), (given) => {
				const { secret } = TAG;
				expect(matchesSecret(given, secret)).toBe(false);
				expect(matchesSecret([...given, secret.slice(1), secret.toUpperCase()], secret)).toBe(
					false,
				);
				expect(matchesSecret([...given, secret], secret)).toBe(true);
			}),
		);
		expect(matchesSecret([], '')).toBe(false);
	});

	it('is not looked for without end', () => {
		let deep: IDataObject = { [TAG_NAME]: 'deep' };
		for (let level = 0; level < 50_000; level++) deep = { args: deep };
		expect(findTagTexts(deep)).toEqual([]);
	});
});
