import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import * as attempts from '../../../nodes/VirtualPbx/events/attempts';
import * as fields from '../../../nodes/VirtualPbx/events/payload';
import * as health from '../../../nodes/VirtualPbx/events/health';
import * as legs from '../../../nodes/VirtualPbx/events/parse';
import * as outcome from '../../../nodes/VirtualPbx/events/outcome';
import * as ping from '../../../nodes/VirtualPbx/events/ping';
import * as secret from '../../../nodes/VirtualPbx/events/secret';
import { objectOf, readEvent } from '../../../nodes/VirtualPbx/events/parse';
import { isFlattened, readEntries, unflatten } from '../../../nodes/VirtualPbx/events/payload';
import { isReservedName } from '../../../nodes/VirtualPbx/events/reserved';
import { sampleOf } from '../../../nodes/VirtualPbx/events/samples';
import { simplify } from '../../../nodes/VirtualPbx/events/simplify';
import { EVENTS, hookOfName, hooksOf } from '../../../nodes/VirtualPbx/events/table';
import { OUTCOMES } from '../../../nodes/VirtualPbx/values/outcome';
import { selectEvent } from '../../../nodes/VirtualPbx/triggers/callEvent/choose';
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
const HEALTH_SHAPE = Object.keys(health.healthOf(WEBHOOK, [], true)).sort();
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
	const { variableOf, ...tells } = outcome;
	for (const tell of [legs.standingOf, ...Object.values(tells)]) tell(event);
	assert.equal(typeof legs.isFirstLeg(event), 'boolean');
	for (const isFirst of [true, false]) legs.bridgeIdOf(event, isFirst);
	for (const key of KEYS) variableOf(event, key);
	for (const legMode of ['oncePerCall', 'everyLeg', 'inbound', 'outbound'] as const) {
		const choice = selectEvent(event, { events: VALUES, legs: legMode, filters: {} });
		assert.ok('chosen' in choice || choice.ignored !== '');
		legs.isChosenLeg(event, legMode, legs.isFirstLeg(event));
	}
	const simple = simplify(event, 'ended', ['a', '__proto__']);
	isJson(simple);
	assert.deepEqual(shapeOfSimple(simple), shape, 'Every field is always there');
	assert.ok(OUTCOMES.some(({ value }) => value === simple.outcome));
}

function shapeOfSample(): string[] {
	const read = readEvent(SAMPLE);
	return 'event' in read ? shapeOfSimple(simplify(read.event, 'ended', [])) : [];
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
		[readEvent, simplify, selectEvent, ...Object.values(legs), ...Object.values(outcome)],
		entries,
		(entry) => checkEvent(entry, shape),
	),
	target(
		'secrets in deliveries',
		[secret.findSecrets, secret.matchesSecret, secret.withoutSecret, secret.isSecretKey],
		fc.tuple(
			object(KEYS),
			fc.array(
				text.filter((name) => !secret.isSecretKey(name)),
				{ maxLength: 4 },
			),
			fc.constantFrom(secret.MARK_NAME, 'N8N-Webhook-Secret', 'x[n8n_webhook_secret]'),
		),
		([delivery, path, key]) => {
			const own = secret.newSecret();
			const marked = path.reduceRight<IDataObject>(
				(inner, name) => Object.fromEntries([[name, inner]]) as IDataObject,
				{ [key]: own },
			);
			// The secret comes first, since only so many candidates are looked at.
			const whole = Object.fromEntries([['first', marked], ...Object.entries(delivery)]);
			assert.ok(secret.matchesSecret(secret.findSecrets(whole), [own]));
			assert.ok(!JSON.stringify(secret.withoutSecret(whole)).includes(own));
			assert.ok(!secret.matchesSecret(secret.findSecrets(delivery), [own]));
		},
	),
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
			...[objectOf, isReservedName, hookOfName, hooksOf, secret.isSecret],
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
			for (const value of Object.values(source)) objectOf(value);
			for (const check of [isReservedName, secret.isSecretKey, secret.isSecret])
				assert.equal(typeof check(name), 'boolean');
		},
	),
	target(
		'pings of a trigger to itself',
		Object.values(ping),
		fc.tuple(fc.array(fc.oneof(object(['name', 'args']), entries), { maxLength: 2 }), text),
		([others, nonce]) => {
			const own = secret.newSecret();
			const pong = ping.pongFor([ping.pingBody(own, nonce)]);
			assert.equal(pong !== undefined, nonce.length <= 100);
			assert.ok(pong === undefined || ping.isPong(pong, own, nonce));
			assert.ok(!ping.isPong(pong, own, `${nonce}x`));
			assert.ok(!JSON.stringify(pong ?? null).includes(own));
			assert.equal(ping.pongFor(others), undefined);
		},
	),
	target(
		'webhooks and their delivery attempts',
		[...Object.values(attempts), ...Object.values(health)],
		fc.tuple(
			spoilt(fc.constant(WEBHOOK)),
			fc.array(fc.oneof(object(Object.keys(ATTEMPT)), spoilt(fc.constant(ATTEMPT))), {
				maxLength: 4,
			}),
			fc.boolean(),
		),
		([webhook, entries, isKnown]) => {
			const found = health.healthOf(webhook, entries, isKnown);
			assert.match(health.healthOf(webhook, [], isKnown, 'no list').reason, /no list$/);
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
