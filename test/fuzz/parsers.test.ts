import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { OUTCOMES } from '../../nodes/VirtualPbx/calls/outcome';
import { readEvent } from '../../nodes/VirtualPbx/pbx/events/callEvent';
import * as deliveries from '../../nodes/VirtualPbx/pbx/events/delivery';
import { EVENTS, sampleOf } from '../../nodes/VirtualPbx/pbx/events/table';
import { answerOfSteps, checkAnswer, KINDS } from '../../nodes/VirtualPbx/pbx/pivot/answer';
import { requestParameters, simplifyRequest } from '../../nodes/VirtualPbx/pbx/pivot/request';
import { selectEvent } from '../../nodes/VirtualPbx/triggers/callEvent/select';
import { eventCall, itemOf, parsedEvent } from '../support/events/arbitraries';

const { FUZZ_SECONDS, FUZZ_SEED } = process.env;
/** How many properties share the seconds. */
const TARGETS = 5;
fc.configureGlobal({
	seed: Number(FUZZ_SEED ?? 20_261_121),
	...(FUZZ_SECONDS === undefined
		? { numRuns: 200 }
		: { numRuns: 1e8, interruptAfterTimeLimit: (Number(FUZZ_SECONDS) / TARGETS) * 1000 }),
});

/** Texts that careless code takes for JavaScript's own properties, or decodes in vain. */
const ODD_TEXTS = [
	...['__proto__', 'constructor', 'toString', '', ' ', 'null', '-1', '1e400', '9'.repeat(400)],
	...['%E0%A4%A', '%00', '\u0000', '\ud800', '\u202egnp.exe', '=', '&', '\\', '"', 'a[b][c]'],
	...['{"a":', '{"__proto__":{"isAdmin":true}}', '"<"<sip:1@x>', 'sip:%@', 'x'.repeat(5000)],
];
const text = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary' }), fc.string());
const constraintsOf = (keys: readonly string[]) => ({
	key: fc.oneof(fc.constantFrom(...ODD_TEXTS, ...keys), text),
	values: [text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)],
	maxDepth: 5,
	maxKeys: 6,
});
const json = (keys: readonly string[]) => fc.anything(constraintsOf(keys));
const object = (keys: readonly string[]) =>
	fc.object(constraintsOf(keys)) as fc.Arbitrary<IDataObject>;

/** An object with some fields changed, or added in another case. */
const corrupted = (whole: IDataObject) => {
	const name = fc.oneof(fc.constantFrom(...Object.keys(whole)), text);
	const change = fc.tuple(name, fc.boolean(), json([])).map(([key, isLower, value]) => {
		return [isLower ? key.toLowerCase() : key, value];
	});
	return fc
		.array(change, { maxLength: 4 })
		.map((changes) => ({ ...whole, ...Object.fromEntries(changes) }) as IDataObject);
};
/** JSON text of a value, whole or cut off. */
const brokenText = (value: fc.Arbitrary<unknown>) =>
	value
		.map((inner) => JSON.stringify(inner) ?? '')
		.chain((whole) => fc.nat(2 * whole.length).map((end) => whole.slice(0, end)));

const SAMPLE = sampleOf('ended', 63_962_000_000);
const KEYS = ['name', 'args', deliveries.TAG_NAME, ...Object.keys(SAMPLE.args)];
const shapeOf = (item: IDataObject) => [item, item.details as object].map(Object.keys);
const SHAPE = shapeOf(itemOf(parsedEvent(SAMPLE), 'ended'));

const events = fc.constantFrom(...EVENTS).chain(({ value }) => {
	const { name, args } = sampleOf(value, 63_962_000_000);
	return corrupted(args).chain((changed) => corrupted({ name, args: changed }));
});
const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS, 'args[Call-ID]'), text), text));
const raws = fc.oneof(
	brokenText(events),
	pairs.map((all) => new URLSearchParams(all).toString()),
	text,
);

function checkEvent(entry: unknown): void {
	const read = readEvent(entry);
	if ('rejection' in read) {
		assert.ok([200, 400].includes(read.rejection.status) && read.rejection.reason !== '');
		return;
	}
	const { event } = read;
	assert.equal(event.source, entry, 'The original event is lost');
	const choice = { events: EVENTS.map(({ value }) => value), filters: { countVoicemail: true } };
	selectEvent(eventCall(event), { ...choice, legs: 'oncePerCall' });
	const item = itemOf(event, 'ended', { standsForCall: true, pair: event, customKeys: ['a'] });
	assert.deepEqual(shapeOf(item), SHAPE, 'A field is missing');
	assert.ok(OUTCOMES.some(({ value }) => value === item.outcome));
}

const REQUEST_KEYS = ['Call-ID', 'from', 'To', 'caller_id_number', 'request', 'data', 'args'];
const EMPTY_REQUEST = simplifyRequest({ method: 'GET', query: {}, body: undefined });

const step = fc
	.constantFrom<
		IDataObject[]
	>({ type: 'extension', extension: '101', timeout: 20, delay: '5', strategy: 'single' }, ...KINDS.map(({ type, target }) => ({ type, ...(target && { [target]: 'x' }) })))
	.chain(corrupted);
const steps = fc.array(step, { maxLength: 4 });
const answers = fc.oneof(
	steps,
	steps.map((operations) => ({ operations })),
	steps.map((operations) => ({ output: JSON.stringify(operations) })),
	brokenText(step),
	json(['operations', 'type', 'extension', 'id', 'filename', 'output', 'step']),
);

/** Fails if a check throws for any input, or lets it pollute JavaScript's own objects. */
const never = <T>(input: fc.Arbitrary<T>, check: (value: T) => void) =>
	fc.assert(
		fc.property(input, (value) => {
			check(value);
			assert.equal(
				({} as { isAdmin?: boolean }).isAdmin,
				undefined,
				'Object.prototype is polluted',
			);
		}),
	);

describe('what strangers may send', () => {
	it('as an event is rejected with a reason, or gives an item with every field', () => {
		const sent = { text: raws, parsed: fc.option(json(KEYS)), isJson: fc.boolean() };
		never(fc.record(sent), (delivery) => {
			const read = deliveries.readDelivery(delivery);
			if ('entry' in read) checkEvent(read.entry);
			else assert.equal(read.rejection.status, 400);
		});
		never(fc.oneof(events, json(KEYS)), checkEvent);
	});

	it('around a secret neither hides it nor shows it', () => {
		const places = fc.constantFrom<string[]>(
			[],
			['args'],
			['custom_data'],
			['custom_data', 'args'],
		);
		never(fc.tuple(object(KEYS), places), ([delivery, place]) => {
			const own = 'ab'.repeat(32);
			const tagged = place.reduce<IDataObject>((inner, name) => ({ [name]: inner }), {
				[deliveries.TAG_NAME]: own,
			});
			const withSecret = { ...delivery, ...tagged };
			assert.ok(deliveries.matchesSecret(deliveries.findTagTexts(withSecret), own));
			assert.ok(!JSON.stringify(deliveries.withoutTag(withSecret)).includes(own));
			assert.ok(!deliveries.matchesSecret(deliveries.findTagTexts(delivery), own));
		});
	});

	it('as a routing request loses none of its parameters', () => {
		const sent = { query: object(REQUEST_KEYS), body: fc.oneof(json(REQUEST_KEYS), raws) };
		never(fc.record(sent), (request) => {
			const simple = simplifyRequest({ method: 'POST', ...request });
			assert.deepEqual(shapeOf(simple), shapeOf(EMPTY_REQUEST));
			const { parameters, ...details } = simple.details as { parameters: object };
			const shown = new Set([...Object.values(simple), ...Object.values(details)]);
			// The caller's number is shown without formatting.
			for (const [name, value] of Object.entries(requestParameters({ method: 'POST', ...request })))
				if (!/caller.?(?:id.?)?number/i.test(name))
					assert.ok(Object.hasOwn(parameters, name) || shown.has(String(value)), `${name} is lost`);
		});
	});

	it('as a routing answer is refused in words, or taken as it is', () => {
		never(answers, (value) => {
			const { answer, problems } = checkAnswer(value);
			assert.equal(typeof JSON.stringify([answer, answerOfSteps(value).answer]), 'string');
			assert.ok(problems.every((problem) => problem !== ''));
			if (problems.length > 0) return;
			const again = checkAnswer(answer);
			assert.deepEqual(
				[again.problems, JSON.stringify(again.answer)],
				[[], JSON.stringify(answer)],
			);
		});
	});
});
