import fc from 'fast-check';

import { readEvent } from '../../../../nodes/VirtualPbx/pbx/events/callEvent';
import {
	readDelivery,
	findTags,
	TAG_NAME,
	matchesSecret,
	writeTag,
} from '../../../../nodes/VirtualPbx/pbx/events/delivery';
import { formOf } from '../../../support/corpus';
import { respell, samples, spellings } from '../../../support/events/arbitraries';

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

	it('reads a form as n8n leaves it and as it came', () => {
		fc.assert(
			fc.property(samples, fc.boolean(), (event, isParsed) => {
				const form = formOf(event);
				const result = read(String(form), isParsed ? Object.fromEntries(form) : undefined);

				const callId = event.args['Call-ID'];
				expect(result).toMatchObject({ event: { callId, bridgeId: callId } });
			}),
		);
	});

	const args = { 'Call-ID': 'a@b', 'Event-Name': 'CHANNEL_ANSWER' };
	const valid = { name: 'CHANNEL_ANSWER', args };
	it.each<[string, unknown, RegExp]>([
		['an unknown event', { name: 'CHANNEL_BRIDGE', args }, /Unknown event: CHANNEL_BRIDGE/],
		['two different events', { ...valid, name: 'CHANNEL_CREATE' }, /different events/],
		['an event without a name', { args: { 'Call-ID': 'a' } }, /no name/],
		['an event without a call', { ...valid, args: {} }, /Call-ID is missing/],
		['a call ID that is no text', { ...valid, args: { 'Call-ID': 5 } }, /Call-ID/],
		['args that are no object', { ...valid, args: [1] }, /args must be an object/],
		['a structure', { ...valid, args: { ...args, Timestamp: {} } }, /Timestamp must be a single/],
		[
			'listed variables',
			{ ...valid, args: { ...args, 'Custom-Channel-Vars': [] } },
			/Custom-Channel/,
		],
		['no object', 5, /must be an object/],
	])('refuses %s', (_, entry, reason) => {
		const status = reason.source.startsWith('Unknown event') ? 200 : 400;
		expect(readEvent(entry)).toMatchObject({
			rejection: { status, reason: expect.stringMatching(reason) },
		});
	});

	it('takes the event name from args where custom data overwrote the name, and the first spelling of a field', () => {
		expect(readEvent({ ...valid, name: 'Riga office' })).toMatchObject({
			event: { hook: 'channel_answer' },
		});
		const twice = '{"name":"CHANNEL_CREATE","call_id":"first","Call-ID":"second"}';
		expect(read(twice)).toMatchObject({ event: { callId: 'first' } });
	});

	it('takes JSON with a form content type, and JSON in a text', () => {
		const text = JSON.stringify(valid);
		for (const parsed of [{ [text]: '' }, text])
			expect(read(text, parsed)).toMatchObject({ event: { callId: 'a@b' } });
	});

	it.each<[string, string, unknown]>([
		['nothing', '', undefined],
		['an empty list', '[]', []],
		['text', 'hello', 'hello'],
		['a list of events', JSON.stringify([valid]), [valid]],
		['depth', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, {}],
		['deep lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, []],
		['a prototype key', '{"name":"CHANNEL_ANSWER","args":{"Call-ID":"a","__proto__":{"x":1}}}', {}],
		['a prototype key in a form', '__proto__[x]=1&name=CHANNEL_ANSWER', undefined],
	])('refuses a body of %s', (_, text, parsed) => {
		const refused = { rejection: { status: 400 } };
		expect(read(text, parsed)).toMatchObject(refused);
		if (/^[[{]/.test(text)) expect(read(text, JSON.parse(text), true)).toMatchObject(refused);
		expect(({} as { x?: number }).x).toBeUndefined();
	});
});

// Where platforms put it is in test/contract/corpus/events.test.ts, and that it leaves no trace in test/fuzz.
describe('the secret of deliveries', () => {
	const TAG = { settings: '1'.repeat(16), secret: 'ab'.repeat(32) };
	it('is only read from a whole tag, and accepted whole', () => {
		const { secret } = TAG;
		const tag = writeTag(TAG);
		expect(findTags({ [TAG_NAME]: tag })).toEqual([TAG]);
		for (const text of ['', 'x', secret, `${tag}0`, tag.slice(1)])
			expect(findTags({ [TAG_NAME]: text })).toEqual([]);
		expect(matchesSecret(['', secret.slice(1), secret.toUpperCase()], secret)).toBe(false);
		expect(matchesSecret(['', secret], secret)).toBe(true);
		expect(matchesSecret([], '')).toBe(false);
	});
});
