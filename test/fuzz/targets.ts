import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { IDataObject, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import * as outcomes from '../../nodes/VirtualPbx/calls/outcome';
import * as parameters from '../../nodes/VirtualPbx/parameters/parameter';
import type { Parameter } from '../../nodes/VirtualPbx/parameters/parameter';
import { countryOf, mayReceiveToken, readCredential } from '../../nodes/VirtualPbx/pbx/credential';
import { readEvent } from '../../nodes/VirtualPbx/pbx/events/callEvent';
import { sampleOf, EVENTS } from '../../nodes/VirtualPbx/pbx/events/table';
import * as deliveries from '../../nodes/VirtualPbx/pbx/events/delivery';
import { answerOfSteps, checkAnswer, KINDS } from '../../nodes/VirtualPbx/pbx/pivot/answer';
import { requestParameters, simplifyRequest } from '../../nodes/VirtualPbx/pbx/pivot/request';
import * as secrets from '../../nodes/VirtualPbx/pbx/redact';
import { selectEvent } from '../../nodes/VirtualPbx/triggers/callEvent/select';
import { asText, isStructure, parseStructure } from '../../nodes/VirtualPbx/util/json';
import * as numbers from '../../nodes/VirtualPbx/util/phone';
import * as parties from '../../nodes/VirtualPbx/util/party';
import { eventCall, itemOf, parsedEvent } from '../support/events/arbitraries';
import { brokenText, json, object, corrupted, text, wellFormed, withText } from './hostile';
import { isJson, onlyThrows, target } from './run';

const VALUES = EVENTS.map(({ value }) => value);
const SAMPLE = sampleOf('ended', 63_962_000_000);
const KEYS = [
	'name',
	'args',
	'data',
	'Custom-Data',
	deliveries.TAG_NAME,
	...Object.keys(SAMPLE.args),
];
const shapeOf = (value: unknown) => Object.keys(value as object).sort();
const shapesOf = (item: IDataObject) => [item, item.details].map(shapeOf);
const SHAPES = shapesOf(itemOf(parsedEvent(SAMPLE), 'ended'));

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
	const place = { standsForCall: true, pair: event, customKeys: ['a', '__proto__'] };
	const simple = itemOf(event, 'ended', place);
	isJson(simple);
	assert.deepEqual(shapesOf(simple), SHAPES, 'A field is missing');
	assert.ok(outcomes.OUTCOMES.some(({ value }) => value === simple.outcome));
}

/** Reads deliveries of call events (§6), which anyone can send. */
const eventTargets = [
	target(
		'deliveries',
		fc.record({ text: raws, parsed: fc.option(json(KEYS)), isJson: fc.boolean() }),
		(delivery) => {
			const read = deliveries.readDelivery(delivery);
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
				[deliveries.TAG_NAME]: own,
			});
			const withSecret = { ...delivery, ...tagged };
			assert.ok(deliveries.matchesSecret(deliveries.findTagTexts(withSecret), own));
			assert.ok(!JSON.stringify(deliveries.withoutTag(withSecret)).includes(own));
			assert.ok(!deliveries.matchesSecret(deliveries.findTagTexts(delivery), own));
		},
	),
];

const REQUEST_KEYS = ['Call-ID', 'from', 'To', 'caller_id_number', 'request', 'data', 'args'];
const ANSWER_KEYS = ['operations', 'type', 'extension', 'id', 'filename', 'output', 'step'];
const EMPTY_REQUEST = simplifyRequest({ method: 'GET', query: {}, body: undefined });

const step = corrupted(
	fc.constantFrom(
		{ type: 'extension', extension: '101', timeout: 20, delay: '5', strategy: 'single' },
		...KINDS.map(({ type, target }) => ({ type, ...(target && { [target]: 'x' }) })),
	),
);
const stepList = fc.array(step, { maxLength: 4 });
const answers = fc.oneof(
	step,
	stepList,
	stepList.map((operations) => ({ operations })),
	stepList.map((rows) => ({ step: rows })),
	stepList.map((operations) => ({ output: JSON.stringify(operations) })),
	brokenText(step),
	json(ANSWER_KEYS),
	text,
);
const bodies = [fc.constant(undefined), json(REQUEST_KEYS), brokenText(json(REQUEST_KEYS)), text];

/** Reads routing requests, which anyone can send, and a workflow's routing answers (§2.2, §2.3). */
const routingTargets = [
	target(
		'routing requests',
		fc.record({
			method: fc.constantFrom('GET', 'POST'),
			query: object(REQUEST_KEYS),
			body: fc.oneof(...bodies),
		}),
		(request) => {
			const simple = simplifyRequest(request);
			const details = simple.details as IDataObject;
			isJson(simple);
			assert.deepEqual(
				[simple, details].map(shapeOf),
				[EMPTY_REQUEST, EMPTY_REQUEST.details].map(shapeOf),
			);
			const shown = new Set([...Object.values(simple), ...Object.values(details)]);
			// The caller's number is shown without formatting. The raw request keeps the original.
			const isCaller = (name: string) => /caller.?(?:id.?)?number/i.test(name);
			for (const [name, value] of Object.entries(requestParameters(request)))
				assert.ok(
					isCaller(name) ||
						Object.hasOwn(details.parameters as object, name) ||
						shown.has(String(value)),
					`${name} is lost`,
				);
		},
	),
	target('routing answers', answers, (value) => {
		const { answer, problems } = checkAnswer(value);
		isJson(answer);
		isJson(answerOfSteps(value).answer);
		if (problems.length > 0) return assert.ok(problems.every((problem) => problem !== ''));
		const again = checkAnswer(answer);
		assert.deepEqual(again.problems, [], 'A valid answer is rejected the second time');
		assert.equal(JSON.stringify(again.answer), JSON.stringify(answer), 'A valid answer is changed');
	}),
];

const LOGIN = { login: 'demo', password: 'planted-secret', realm: 'r', platform: 'pbx' };
const BASE = { baseUrl: 'https://pbx.example.com', ...LOGIN, recordingHosts: 'rec.example:8443' };
const ALLOWED = ['https://pbx.example.com', 'https://rec.example:8443'];
const origins = fc.constantFrom(...ALLOWED);
const NODE: INode = {
	id: '1',
	name: 'Node',
	type: 't',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const PLACE = { context: { getNode: () => NODE }, itemIndex: 0 };
const FIELD = { displayName: 'Field', name: 'field', type: 'string', default: '' } as const;

/** Reads what callers choose, what models fill in, and where the token goes. */
const valueTargets = [
	target('numbers and causes', fc.tuple(text, withText(json())), ([value, list]) => {
		assert.ok(isStructure(parseStructure(value) ?? {}));
		const { number, name } = parties.readParty(value);
		assert.equal(parties.numberOf(value), number);
		assert.notEqual(name, '');
		assert.doesNotMatch(parties.bareNumber(value), /[\s()-]/);
		const match = numbers.readNumberMatch(list);
		if (match) assert.equal(typeof match(value), 'boolean');
		assert.notEqual(numbers.findInvalidNumber(list), '');
		assert.notEqual(asText(list), '');
		assert.equal(typeof outcomes.hangupWords(value), 'string');
		const outcome = outcomes.outcomeOfLeg({ state: 'unanswered', cause: value });
		assert.equal(outcome, outcomes.unansweredKind(value) ?? 'noAnswer');
	}),
	target(
		'telephone numbers',
		fc.tuple(
			fc.oneof(text, fc.stringMatching(/^[+(]?[0-9 ().-]{4,40}$/)),
			fc.oneof(text, fc.stringMatching(/^[A-Z]{2}$/), fc.constantFrom('RU', 'AR', 'AG', 'GB')),
		),
		([number, country]) => {
			const known = numbers.toE164(number, country);
			const item = { from: number, to: '100', details: { legs: [{ from: number }, number] } };
			const code = countryOf({ country });
			const shown = code === undefined ? undefined : numbers.toE164(number, code);
			assert.deepEqual(numbers.formatNumbers(item, code).from, shown ?? number);
			const forms = numbers.crmForms(number, country);
			assert.equal(new Set(forms).size, forms.length);
			for (const form of forms) assert.match(form, /^\+?\d+$/);
			if (known === undefined) return;
			assert.equal(forms[0], known);
			assert.match(known, /^\+[1-9]\d{5,18}$/);
			assert.equal(numbers.toE164(known, country) ?? known, known);
		},
	),
	target(
		'known secrets',
		fc.tuple(json(), object(['body', 'n8n_webhook_secret']), fc.stringMatching(/^[0-9a-f]{64}$/)),
		([body, attempt, secret]) => {
			const leaking = { message: `no ${secret}`, [secret]: [body, encodeURIComponent(secret)] };
			assert.ok(!JSON.stringify(secrets.blankSecrets(leaking, [secret])).includes(secret));
			const words = `${JSON.stringify(body)}${secret.slice(3)}`;
			for (const known of [[], [secret]])
				assert.ok(!secrets.blankSecrets(words, known).includes(secret.slice(3)));
			const tagged = { ...attempt, inner: { n8n_webhook_secret: secret } };
			assert.ok(!JSON.stringify(secrets.withoutSecrets(tagged, [])).includes(secret));
		},
	),
	target(
		'URLs that receive the token',
		fc.oneof(
			text,
			fc.webUrl(),
			fc.tuple(origins, text).map((parts) => parts.join('')),
			fc.tuple(text, origins).map((parts) => parts.join('')),
		),
		(address) => {
			const isAllowed = URL.canParse(address) && ALLOWED.includes(new URL(address).origin);
			assert.equal(mayReceiveToken(address, readCredential(BASE)), isAllowed);
		},
	),
	target('parameters', withText(fc.oneof(json(), brokenText(object()), text)), (value) => {
		const given = parameters.addedValues(PLACE, { field: value } as IDataObject);
		const read = <T>(parameter: Parameter<T>) =>
			onlyThrows(NodeOperationError, () => parameter.readIfAdded(given));
		assert.notEqual(read(parameters.defineText(FIELD)), '');
		const list = read(parameters.defineTextList({ ...FIELD, separator: /[,\n]/ }));
		assert.ok(list === undefined || list.every((entry) => entry !== ''));
		isJson(read(parameters.defineJson(FIELD)) ?? null);
	}),
];

export const TARGETS = [...eventTargets, ...routingTargets, ...valueTargets];
