import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	findMarks,
	findMarkTexts,
	MARK_NAME,
	matchesSecret,
	withoutSecret,
	writeMark,
} from '../../../../nodes/VirtualPbx/pbx/events/secret';
import { unflatten } from '../../../../nodes/VirtualPbx/pbx/events/payload';
import { formPairs, placements, samples } from '../../../support/events/arbitraries';

const MARK = { owner: '0'.repeat(16), settings: '1'.repeat(8), secret: 'ab'.repeat(32) };

describe('the secret of deliveries', () => {
	it('is only read from a whole mark', () => {
		expect(findMarks({ [MARK_NAME]: writeMark(MARK) })).toEqual([MARK]);
		for (const text of ['', 'x', MARK.secret, `${writeMark(MARK)}0`, writeMark(MARK).slice(1)])
			expect(findMarks({ [MARK_NAME]: text })).toEqual([]);
	});

	it('is found wherever a platform puts custom data, and taken out without a trace', () => {
		fc.assert(
			fc.property(samples, placements, fc.boolean(), (event, place, asForm) => {
				const { secret } = MARK;
				const own = { office: 'Riga' };
				const sent = place(event, { ...own, [MARK_NAME]: writeMark(MARK) });
				const delivery = asForm ? unflatten(formPairs(sent)) : sent;

				expect(
					matchesSecret(
						findMarks(delivery).map((mark) => mark.secret),
						secret,
					),
				).toBe(true);
				const clean = withoutSecret(delivery);
				expect(JSON.stringify(clean)).not.toContain(secret);
				const expected = place(event, own);
				expect(clean).toEqual(asForm ? unflatten(formPairs(expected)) : expected);
			}),
		);
	});

	it.each([
		'n8n_webhook_secret',
		'N8N-Webhook-Secret',
		'n8nWebhookSecret',
		'custom_data[n8n_webhook_secret]',
	])('is found under the name %s', (name) => {
		expect(findMarkTexts({ name: 'x', [name]: 'abc' })).toEqual(['abc']);
		expect(withoutSecret({ name: 'x', [name]: 'abc' })).toEqual({ name: 'x' });
	});

	it('leaves a delivery without a secret as the very same object', () => {
		fc.assert(
			fc.property(fc.object(), (value) => {
				expect(withoutSecret(value)).toBe(value);
			}),
		);
	});

	it('accepts only the whole secret', () => {
		fc.assert(
			fc.property(fc.array(fc.string()), (given) => {
				const { secret } = MARK;
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
		let deep: IDataObject = { [MARK_NAME]: 'deep' };
		for (let level = 0; level < 5000; level++) deep = { deep };
		expect(findMarkTexts(deep)).toEqual([]);
		const many = Object.fromEntries(
			Array.from({ length: 500 }, (_, n) => [`k${n}_${MARK_NAME}`, 'x']),
		);
		expect(findMarkTexts(many).length).toBeLessThanOrEqual(16);
	});
});
