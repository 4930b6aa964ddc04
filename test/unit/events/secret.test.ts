import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	findSecrets,
	isSecret,
	MARK_NAME,
	matchesSecret,
	newSecret,
	withoutSecret,
} from '../../../nodes/VirtualPbx/events/secret';
import { unflatten } from '../../../nodes/VirtualPbx/events/payload';
import {
	calls,
	eventOf,
	formPairs,
	placements,
	sides,
	stages,
} from '../../support/events/arbitraries';

const marked = fc.record({ call: calls, stage: stages, side: sides, place: placements });

describe('the secret of deliveries', () => {
	it('is long, random and recognisable', () => {
		const secrets = new Set(Array.from({ length: 1000 }, newSecret));
		expect(secrets.size).toBe(1000);
		expect([...secrets].every(isSecret)).toBe(true);
	});

	it('is found wherever a platform puts custom data, and taken out without a trace', () => {
		fc.assert(
			fc.property(marked, fc.boolean(), ({ call, stage, side, place }, asForm) => {
				const secret = newSecret();
				const own = { office: 'Riga' };
				const event = eventOf(call, stage, side);
				const sent = place(event, { ...own, [MARK_NAME]: secret });
				const delivery = asForm ? unflatten(formPairs(sent)) : sent;

				expect(matchesSecret(findSecrets(delivery), [secret])).toBe(true);
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
		expect(findSecrets({ name: 'x', [name]: 'abc' })).toEqual(['abc']);
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
				const secret = newSecret();
				expect(matchesSecret(given, [secret])).toBe(false);
				expect(matchesSecret([...given, secret.slice(1), secret.toUpperCase()], [secret])).toBe(
					false,
				);
				expect(matchesSecret([...given, secret], [newSecret(), secret])).toBe(true);
			}),
		);
		expect(matchesSecret([], [])).toBe(false);
		expect(matchesSecret([''], [])).toBe(false);
	});

	it('is not looked for without end', () => {
		let deep: IDataObject = { [MARK_NAME]: 'deep' };
		for (let level = 0; level < 5000; level++) deep = { deep };
		expect(findSecrets(deep)).toEqual([]);
		const many = Object.fromEntries(
			Array.from({ length: 500 }, (_, n) => [`k${n}_${MARK_NAME}`, 'x']),
		);
		expect(findSecrets(many).length).toBeLessThanOrEqual(16);
	});
});
