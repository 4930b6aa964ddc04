import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import * as attempts from '../../../nodes/VirtualPbx/webhooks/attempts';
import * as fields from '../../../nodes/VirtualPbx/events/payload';
import * as health from '../../../nodes/VirtualPbx/webhooks/health';
import * as callLegs from '../../../nodes/VirtualPbx/calls/leg';
import * as callOutput from '../../../nodes/VirtualPbx/calls/call';
import * as legs from '../../../nodes/VirtualPbx/events/leg';
import * as standing from '../../../nodes/VirtualPbx/events/standing';
import * as secret from '../../../nodes/VirtualPbx/events/secret';
import { objectOf, readEvent } from '../../../nodes/VirtualPbx/events/parse';
import { isFlattened, readEntries, unflatten } from '../../../nodes/VirtualPbx/events/payload';
import { isReservedName } from '../../../nodes/VirtualPbx/events/reserved';
import { sampleOf } from '../../../nodes/VirtualPbx/events/samples';
import { simplifyEvent } from '../../../nodes/VirtualPbx/events/output';
import { EVENTS, hookOfName, hooksOf, nameOfHook } from '../../../nodes/VirtualPbx/events/table';
import { OUTCOMES } from '../../../nodes/VirtualPbx/calls/outcome';
import { selectEvent } from '../../../nodes/VirtualPbx/triggers/callEvent/receive';
import { formPairs } from '../../support/events/arbitraries';
import { brokenText, json, object, spoilt, text, wellFormed } from '../hostile';
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
const HEALTH_SHAPE = Object.keys(health.healthOf(WEBHOOK, { attempts: [], isKnown: true })).sort();
const VALUES = EVENTS.map(({ value }) => value);
const SAMPLE = sampleOf('ended', 63_962_000_000);
const KEYS = ['name', 'args', 'data', 'Custom-Data', secret.MARK_NAME, ...Object.keys(SAMPLE.args)];
const shapeOf = (value: unknown) => Object.keys(value as object).sort();
const shapeOfSimple = (simple: IDataObject) => [...shapeOf(simple), ...shapeOf(simple.details)];

const events = fc.constantFrom(...VALUES).chain((value) => {
	const { name, args } = sampleOf(value, 63_962_000_000);
	return spoilt(fc.constant(args)).chain((spoiltArgs) =>
		spoilt(fc.constant({ name, args: spoiltArgs })),
	);
});
const entries = fc.oneof(events, object(KEYS), json(KEYS));
const raws = fc.oneof(
	brokenText(events),
	brokenText(fc.array(entries, { maxLength: 3 })),
	brokenText(json(KEYS)),
	fc
		.array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS, 'args[Call-ID]'), text), text))
		.map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')),
	text,
);

function encode(part: string): string {
	return encodeURIComponent(wellFormed(part));
}

function checkEvent(entry: unknown, shape: string[]): void {
	const read = readEvent(entry);
	if ('refusal' in read) {
		assert.ok([200, 400].includes(read.refusal.status));
		assert.ok(read.refusal.reason !== '');
		return;
	}
	const { event } = read;
	assert.equal(event.source, entry, 'The event that came is kept');
	assert.equal(typeof standing.isFirstLeg(event), 'boolean');
	assert.ok(standing.standingOf(event));
	for (const isFirst of [true, false]) {
		standing.callIdOf(event, { isFirst });
		assert.ok(legs.callOfEvent(event, { isFirst, pair: event }).outcome);
	}
	assert.ok(Number.isFinite(legs.timeOf(event) ?? 0));
	for (const key of KEYS) legs.variableOf(event, key);
	for (const legMode of ['oncePerCall', 'everyLeg'] as const) {
		const filters = { countVoicemail: true };
		const choice = selectEvent(event, { events: VALUES, legs: legMode, filters });
		assert.ok('chosen' in choice || choice.ignored !== '');
	}
	const simple = simplifyEvent(event, 'ended', { isFirst: true, customKeys: ['a', '__proto__'] });
	isJson(simple);
	assert.deepEqual(shapeOfSimple(simple), shape, 'Every field is always there');
	assert.ok(OUTCOMES.some(({ value }) => value === simple.outcome));
}

function shapeOfSample(): string[] {
	const read = readEvent(SAMPLE);
	return 'event' in read ? shapeOfSimple(simplifyEvent(read.event, 'ended')) : [];
}

const shape = shapeOfSample();

/** What deliveries of call events run into (§6). */
export const eventTargets = [
	target(
		'deliveries',
		[readEntries, readEvent],
		fc.record({
			raw: raws,
			parsed: fc.oneof(fc.constant(undefined), json(KEYS)),
			isJson: fc.boolean(),
		}),
		(delivery) => {
			const read = readEntries(delivery);
			if ('refusal' in read) {
				assert.ok(read.refusal.status >= 400 && read.refusal.status < 500);
				return;
			}
			for (const entry of read.entries) checkEvent(entry, shape);
		},
	),
	target(
		'events',
		[
			readEvent,
			simplifyEvent,
			selectEvent,
			...Object.values(legs),
			...Object.values(standing),
			...Object.values(callLegs),
			...Object.values(callOutput),
		],
		entries,
		(entry) => checkEvent(entry, shape),
	),
	target(
		'secrets in deliveries',
		[secret.findMarkTexts, secret.matchesSecret, secret.withoutSecret, secret.isSecretKey],
		fc.tuple(
			object(KEYS),
			fc.array(
				text.filter((name) => !secret.isSecretKey(name)),
				{ maxLength: 4 },
			),
			fc.constantFrom(secret.MARK_NAME, 'N8N-Webhook-Secret', 'x[n8n_webhook_secret]'),
		),
		([delivery, path, key]) => {
			const own = 'ab'.repeat(32);
			const marked = path.reduceRight<IDataObject>(
				(inner, name) => Object.fromEntries([[name, inner]]) as IDataObject,
				{ [key]: own },
			);
			// The secret comes first, since only so many candidates are looked at.
			const whole = Object.fromEntries([['first', marked], ...Object.entries(delivery)]);
			assert.ok(secret.matchesSecret(secret.findMarkTexts(whole), [own]));
			assert.ok(!JSON.stringify(secret.withoutSecret(whole)).includes(own));
			assert.ok(!secret.matchesSecret(secret.findMarkTexts(delivery), [own]));
		},
	),
	target('marks', [secret.readMark, secret.writeMark], text, (value) => {
		for (const mark of secret.readMark(value)) assert.equal(secret.writeMark(mark), value);
		const mark = { owner: 'a'.repeat(16), settings: 'b'.repeat(8), secret: 'c'.repeat(64) };
		assert.deepEqual(secret.readMark(secret.writeMark(mark)), [mark]);
		assert.deepEqual(
			secret.readMark(`${secret.writeMark(mark)}${value}`).length,
			value === '' ? 1 : 0,
		);
	}),
	target(
		'form-encoded deliveries',
		[unflatten, isFlattened],
		fc.oneof(object(KEYS), events),
		(value) => {
			isFlattened(value);
			isJson(unflatten(Object.entries(value)));
			isJson(unflatten(formPairs(value)));
		},
	),
	target(
		'names and fields of events',
		[
			...[fields.plainName, fields.fieldsOf, fields.textField, fields.secondsField],
			...[objectOf, isReservedName, hookOfName, hooksOf, nameOfHook],
		],
		fc.tuple(object(KEYS), text),
		([source, name]) => {
			const all = fields.fieldsOf(source);
			assert.ok(Object.keys(source).every((own) => all.has(fields.plainName(own))));
			const words = fields.textField(all, name);
			assert.ok(words === undefined || words !== '');
			assert.ok((fields.secondsField(all, name) ?? 0) >= 0);
			assert.equal(fields.plainName(fields.plainName(name)), fields.plainName(name));
			const hook = hookOfName(name);
			assert.ok(hook === undefined || hooksOf(VALUES).includes(hook));
			assert.equal(nameOfHook(hook) === undefined, hook === undefined);
			for (const value of Object.values(source)) objectOf(value);
			for (const check of [isReservedName, secret.isSecretKey])
				assert.equal(typeof check(name), 'boolean');
		},
	),
	target(
		'webhooks and their delivery attempts',
		[attempts.readAttempt, attempts.summarize, ...Object.values(health)],
		fc.tuple(
			spoilt(fc.constant(WEBHOOK)),
			fc.array(fc.oneof(object(Object.keys(ATTEMPT)), spoilt(fc.constant(ATTEMPT))), {
				maxLength: 4,
			}),
			fc.boolean(),
		),
		([webhook, entries, isKnown]) => {
			const found = health.healthOf(webhook, { attempts: entries, isKnown });
			assert.match(
				health.healthOf(webhook, { attempts: [], isKnown, fault: 'no list' }).reason,
				/no list$/,
			);
			assert.deepEqual(shapeOf(found), HEALTH_SHAPE, 'Every field is always there');
			const isUnknown = found.attempts > 0 && found.succeeded + found.failed === 0;
			assert.equal(found.reason === '', found.state === 'ok' && !isUnknown);
			assert.ok(found.succeeded + found.failed <= found.attempts);
			assert.equal(health.isDisabled(webhook), found.state === 'switched off');
			const summary = attempts.summarize(entries);
			assert.notEqual(health.failureWords(summary), '');
			for (const entry of entries)
				assert.equal(
					attempts.readAttempt(entry).reason === '',
					attempts.readAttempt(entry).isSuccess === true,
				);
			isJson(found);
			health.workflowIn(found.address);
		},
	),
];
