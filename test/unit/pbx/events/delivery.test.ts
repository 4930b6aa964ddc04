import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readEvent } from '../../../../nodes/VirtualPbx/pbx/events/callEvent';
import {
	readDelivery,
	findTags,
	findTagTexts,
	TAG_NAME,
	matchesSecret,
	withoutTag,
	writeTag,
	unflatten,
} from '../../../../nodes/VirtualPbx/pbx/events/delivery';
import { formOf } from '../../../support/corpus';
import { placements, respell, samples, spellings } from '../../../support/events/arbitraries';

/** Reads a delivery down to its events, as the trigger does. */
function read(text: string, parsed?: unknown, isJson = false) {
	const delivery = readDelivery({ text, parsed, isJson });
	return 'entry' in delivery ? readEvent(delivery.entry) : delivery;
}

const shapes = fc.constantFrom<(event: { name: string; args: object }) => object>(
	(event) => event,
	({ args }) => args,
	(event) => ({ ...event, args: JSON.stringify(event.args) }),
);

describe('reading a delivery', () => {
	it.each([
		['as n8n has parsed it', true],
		['from its text', false],
	])('reads an event in any spelling and shape, %s', (_, isJson) => {
		fc.assert(
			fc.property(samples, spellings, shapes, ({ name, args }, spelling, shape) => {
				const sent = shape({ name, args: respell(args, spelling) });
				const result = isJson ? read('{…}', sent, true) : read(JSON.stringify(sent));

				expect(result).toMatchObject({
					event: { hook: name.toLowerCase(), callId: args['Call-ID'] },
				});
			}),
		);
	});

	it('takes the first of several spellings of one field', () => {
		const result = read('{"name":"CHANNEL_CREATE","call_id":"first","Call-ID":"second"}');
		expect(result).toMatchObject({ event: { callId: 'first' } });
	});

	it('reads a form as n8n leaves it and as it came', () => {
		fc.assert(
			fc.property(samples, fc.boolean(), (event, isParsed) => {
				const form = formOf(event);
				const result = read(String(form), isParsed ? Object.fromEntries(form) : undefined);

				expect(result).toMatchObject({ event: { callId: event.args['Call-ID'] } });
				expect(result).toMatchObject({ event: { bridgeId: event.args['Call-ID'] } });
			}),
		);
	});

	const valid = {
		name: 'CHANNEL_ANSWER',
		args: { 'Call-ID': 'a@b', 'Event-Name': 'CHANNEL_ANSWER' },
	};
	it.each([
		[
			'an unknown event',
			{ name: 'CHANNEL_BRIDGE', args: { 'Call-ID': 'a' } },
			/Unknown event: CHANNEL_BRIDGE/,
		],
		['two different events', { ...valid, name: 'CHANNEL_CREATE' }, /different events/],
		['an event without a name', { args: { 'Call-ID': 'a' } }, /no name/],
		['an event without a call', { name: 'CHANNEL_ANSWER', args: {} }, /Call-ID is missing/],
		['a call ID that is no text', { name: 'CHANNEL_ANSWER', args: { 'Call-ID': 5 } }, /Call-ID/],
		['args that are no object', { name: 'CHANNEL_ANSWER', args: [1] }, /args must be an object/],
		[
			'a structure for a value',
			{ ...valid, args: { ...valid.args, Timestamp: {} } },
			/Timestamp must be a single/,
		],
		[
			'channel variables in a list',
			{ ...valid, args: { ...valid.args, 'Custom-Channel-Vars': [] } },
			/Custom-Channel/,
		],
		['no object', 5, /must be an object/],
	])('refuses %s', (_, entry, reason) => {
		const status = reason.source.startsWith('Unknown event') ? 200 : 400;
		expect(readEvent(entry)).toMatchObject({
			rejection: { status, reason: expect.stringMatching(reason) },
		});
	});

	it('takes the event name from args where custom data overwrote the name', () => {
		expect(readEvent({ ...valid, name: 'Riga office' })).toMatchObject({
			event: { hook: 'channel_answer' },
		});
	});

	it('takes JSON with a form content type, and JSON in a text', () => {
		const text = JSON.stringify(valid);
		expect(read(text, { [text]: '' })).toMatchObject({ event: { callId: 'a@b' } });
		expect(read(text, text)).toMatchObject({ event: { callId: 'a@b' } });
	});

	it.each([
		['nothing', '', undefined, 400],
		['an empty list', '[]', [], 400],
		['text', 'hello', 'hello', 400],
		['a list of events', JSON.stringify([valid]), [valid], 400],
		['depth', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, {}, 400],
		['deep lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, [], 400],
		[
			'a prototype key',
			'{"name":"CHANNEL_ANSWER","args":{"Call-ID":"a","__proto__":{"x":1}}}',
			{},
			400,
		],
		['a prototype key in a form', '__proto__[x]=1&name=CHANNEL_ANSWER', undefined, 400],
	])('refuses a body of %s', (_, text, parsed, status) => {
		expect(read(text, parsed)).toMatchObject({ rejection: { status } });
		if (/^[[{]/.test(text))
			expect(read(text, JSON.parse(text), true)).toMatchObject({ rejection: { status } });
		expect(({} as { x?: number }).x).toBeUndefined();
	});
});

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
				const delivery = asForm ? unflatten([...formOf(sent)]) : sent;

				expect(
					matchesSecret(
						findTags(delivery).map((tag) => tag.secret),
						secret,
					),
				).toBe(true);
				const clean = withoutTag(delivery);
				expect(JSON.stringify(clean)).not.toContain(secret);
				const expected = place(event, own);
				expect(clean).toEqual(asForm ? unflatten([...formOf(expected)]) : expected);
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
