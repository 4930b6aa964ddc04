import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { OUTCOMES } from '../../../nodes/VirtualPbx/calls/outcome';
import { readEvent } from '../../../nodes/VirtualPbx/pbx/events/callEvent';
import { readDelivery } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { sampleOf, EVENTS } from '../../../nodes/VirtualPbx/pbx/events/table';
import * as secret from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { readAttempt, summarize, healthOf } from '../../../nodes/VirtualPbx/pbx/webhooks/health';
import { Webhook } from '../../../nodes/VirtualPbx/pbx/webhooks/webhooks';
import { selectEvent } from '../../../nodes/VirtualPbx/triggers/callEvent/select';
import { eventCall, itemOf, parsedEvent } from '../../support/events/arbitraries';
import { brokenText, json, object, corrupted, text, wellFormed } from '../hostile';
import { isJson, target } from '../target';

const WEBHOOK = {
	id: 'one',
	name: 'n8n: Calls (Call Ended)',
	uri: 'https://n8n.example/webhook/x',
	hook: 'channel_destroy',
	enabled: true,
	disable_reason: 'too many failures',
};
const ATTEMPT = {
	result: 'failure',
	reason: 'bad response code',
	resp_status_code: '503',
	client_error: 'econnrefused',
	timestamp: 63_962_000_000,
};
const attempts = fc.array(fc.oneof(object(Object.keys(ATTEMPT)), corrupted(fc.constant(ATTEMPT))), {
	maxLength: 4,
});
const VALUES = EVENTS.map(({ value }) => value);
const SAMPLE = sampleOf('ended', 63_962_000_000);
const KEYS = ['name', 'args', 'data', 'Custom-Data', secret.TAG_NAME, ...Object.keys(SAMPLE.args)];
const shapeOf = (value: unknown) => Object.keys(value as object).sort();
const shapesOf = (item: IDataObject) => [item, item.details].map(shapeOf);
const SHAPES = shapesOf(itemOf(parsedEvent(SAMPLE), 'ended'));
const HEALTH_SHAPE = shapeOf(healthOf(new Webhook(WEBHOOK), { attempts: [], isKnown: true }));

const events = fc.constantFrom(...VALUES).chain((value) => {
	const { name, args } = sampleOf(value, 63_962_000_000);
	return corrupted(fc.constant(args)).chain((corruptedArgs) =>
		corrupted(fc.constant({ name, args: corruptedArgs })),
	);
});
const encode = (part: string) => encodeURIComponent(wellFormed(part));
const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS, 'args[Call-ID]'), text), text));
const raws = fc.oneof(
	brokenText(events),
	brokenText(fc.array(fc.oneof(events, json(KEYS)), { maxLength: 3 })),
	pairs.map((all) => all.map((pair) => pair.map(encode).join('=')).join('&')),
	text,
);

function checkEvent(entry: unknown): void {
	const read = readEvent(entry);
	if ('rejection' in read) {
		assert.ok([200, 400].includes(read.rejection.status));
		assert.ok(read.rejection.reason !== '');
		return;
	}
	const { event } = read;
	assert.equal(event.source, entry, 'The original event is lost');
	for (const legs of ['oncePerCall', 'everyLeg'] as const) {
		const filters = { countVoicemail: true };
		const choice = selectEvent(eventCall(event), { events: VALUES, legs, filters });
		assert.ok('chosen' in choice || choice.ignored !== '');
	}
	const place = { isFirst: true, pair: event, customKeys: ['a', '__proto__'] };
	const simple = itemOf(event, 'ended', place);
	isJson(simple);
	assert.deepEqual(shapesOf(simple), SHAPES, 'A field is missing');
	assert.ok(OUTCOMES.some(({ value }) => value === simple.outcome));
}

/** Reads deliveries of call events (§6). */
export const eventTargets = [
	target(
		'deliveries',
		fc.record({ text: raws, parsed: fc.option(json(KEYS)), isJson: fc.boolean() }),
		(delivery) => {
			const read = readDelivery(delivery);
			if ('entry' in read) return checkEvent(read.entry);
			assert.equal(read.rejection.status, 400);
		},
	),
	target('events', fc.oneof(events, object(KEYS), json(KEYS)), checkEvent),
	target(
		'secrets in deliveries',
		fc.tuple(
			object(KEYS),
			fc.constantFrom<string[]>([], ['args'], ['custom_data'], ['args', 'custom_data']),
		),
		([delivery, path]) => {
			const own = 'ab'.repeat(32);
			const tagged = path.reduceRight<IDataObject>((inner, name) => ({ [name]: inner }), {
				[secret.TAG_NAME]: own,
			});
			const withSecret = { ...delivery, ...tagged };
			assert.ok(secret.matchesSecret(secret.findTagTexts(withSecret), own));
			assert.ok(!JSON.stringify(secret.withoutTag(withSecret)).includes(own));
			assert.ok(!secret.matchesSecret(secret.findTagTexts(delivery), own));
		},
	),
	target(
		'webhooks and their delivery attempts',
		fc.tuple(corrupted(fc.constant(WEBHOOK)), attempts, fc.boolean()),
		([shown, entries, isKnown]) => {
			const webhook = new Webhook(shown);
			const found = healthOf(webhook, { attempts: entries, isKnown });
			isJson(found);
			assert.deepEqual(shapeOf(found), HEALTH_SHAPE, 'A field is missing');
			const isUnknown = found.attempts > 0 && found.succeeded + found.failed === 0;
			// An old failure without a later success no longer counts, but is still reported.
			const isAged = found.failed > 0 && !summarize(entries).isDelivering;
			assert.equal(found.reason === '', found.state === 'ok' && !isUnknown && !isAged);
			assert.ok(found.succeeded + found.failed <= found.attempts);
			assert.equal(webhook.isDisabled, found.state === 'switched off');
			for (const { reason, isSuccess } of entries.map(readAttempt))
				assert.equal(reason === '', isSuccess === true);
		},
	),
];
