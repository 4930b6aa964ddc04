import type { IDataObject } from 'n8n-workflow';

import { contactOf, missedCallers } from '../../nodes/VirtualPbx/calls/missedCallers';
import * as causes from '../../nodes/VirtualPbx/calls/outcome';
import * as calls from '../../nodes/VirtualPbx/calls/record';
import { groupByCall } from '../../nodes/VirtualPbx/calls/recordedCalls';
import { labelFile } from '../../nodes/VirtualPbx/parameters/output';
import * as flow from '../../nodes/VirtualPbx/pbx/callflows/flow';
import * as documents from '../../nodes/VirtualPbx/pbx/documents';
import * as errors from '../../nodes/VirtualPbx/pbx/errors/failures';
import { readEvent } from '../../nodes/VirtualPbx/pbx/events/callEvent';
import * as deliveries from '../../nodes/VirtualPbx/pbx/events/delivery';
import { hookOfName, sampleOf } from '../../nodes/VirtualPbx/pbx/events/table';
import { answerOfSteps, checkAnswer } from '../../nodes/VirtualPbx/pbx/pivot/answer';
import { simplifyRequest } from '../../nodes/VirtualPbx/pbx/pivot/request';
import type { RoutingRequest } from '../../nodes/VirtualPbx/pbx/pivot/request';
import * as masks from '../../nodes/VirtualPbx/pbx/redact';
import * as responses from '../../nodes/VirtualPbx/pbx/response';
import { healthOf } from '../../nodes/VirtualPbx/pbx/webhooks/health';
import { Webhook } from '../../nodes/VirtualPbx/pbx/webhooks/webhooks';
import { dedupeKeysOf, selectEvent } from '../../nodes/VirtualPbx/triggers/callEvent/select';
import { findCandidates } from '../../nodes/VirtualPbx/triggers/callRecord/calls';
import { Progress } from '../../nodes/VirtualPbx/triggers/callRecord/progress';
import { isObject, parseStructure, percentDecoded } from '../../nodes/VirtualPbx/util/json';
import * as party from '../../nodes/VirtualPbx/util/party';
import * as numbers from '../../nodes/VirtualPbx/util/phone';
import { numberToUnixMs, readInstant } from '../../nodes/VirtualPbx/util/time';
import { cdrsIn } from '../support/cdrs';
import { eventCall, itemOf } from '../support/events/arbitraries';
import * as bodies from './bodies';
import { entryPoint, textEntryPoint } from './growth';
import type { Bodies } from './growth';

const { name, args } = sampleOf('ended', 63_962_000_000);
const SAMPLE = { name, args, [deliveries.TAG_NAME]: 'ab'.repeat(32) };
const SELECTION = {
	events: ['ended'],
	legs: 'oncePerCall',
	filters: { countVoicemail: true },
} as const;

const FIELDS = [...Object.keys(args), 'custom_data'];
const allLong = (bytes: number) => {
	const text = '1a<;"'.repeat(bytes / 5 / FIELDS.length);
	return JSON.stringify({
		name,
		args: { ...args, ...Object.fromEntries(FIELDS.map((field) => [field, text])) },
	});
};
const ALL = { ...bodies.jsonTexts(SAMPLE), ...bodies.formTexts, 'all fields long': allLong };

const take = (text: string, parsed: unknown, isJson: boolean) => {
	const delivery = deliveries.readDelivery({ text, parsed, isJson });
	if ('rejection' in delivery) return [];
	return [{ tags: deliveries.findTags(delivery.entry), entry: delivery.entry }];
};

/** Runs everything that reads an event. */
const readAll = (entry: unknown) => {
	const read = readEvent(entry);
	if ('rejection' in read) return read;
	const { event } = read;
	return [
		selectEvent(eventCall(event), SELECTION),
		itemOf(event, 'ended', { standsForCall: true, pair: event, customKeys: ['office'] }),
		dedupeKeysOf('https://n8n.example', { event, role: 'undecided', value: 'ended' }, true),
		deliveries.withoutTag(event.source),
	];
};

/** Reads deliveries of call events (§6). */
const eventEntryPoints = [
	entryPoint('deliveries, parsed by n8n', bodies.jsonValues(SAMPLE), (body) =>
		take('', body, true),
	),
	entryPoint('events', ALL, (raw) =>
		take(raw, undefined, false).map(({ entry }) => readAll(entry)),
	),
];

const REQUEST = { 'Call-ID': 'a', From: '12125550181', To: '12125550100', Request: '100' };
const FLOW = { module: 'pivot', data: { voice_url: '{dflow}&webserver=x' }, children: {} };

const STEP = { type: 'extension', extension: '101', timeout: 20 };

const simplified = (request: Partial<RoutingRequest>) =>
	simplifyRequest({ method: 'POST', query: {}, body: undefined, ...request });

/** Reads routing requests and callflows (§2.2). */
const routingEntryPoints = [
	entryPoint(
		'routing requests, as text',
		{ ...bodies.jsonTexts(REQUEST), ...bodies.formTexts },
		(body) => simplified({ body }),
	),
	entryPoint('routing requests, parsed by n8n', bodies.jsonValues(REQUEST), (body) =>
		simplified({ body }),
	),
	entryPoint('routing answers', bodies.jsonValues(STEP, 'operations'), (body) => checkAnswer(body)),
	entryPoint('flows as answers', bodies.flowValues, (body) => checkAnswer(body, true)),
	entryPoint('lists of steps', bodies.jsonValues(STEP, 'step'), (body) => answerOfSteps(body)),
	entryPoint('callflows', bodies.jsonValues(FLOW, 'children'), (body) => [
		flow.flowFault(body),
		flow.withPivotRoot(body, { method: 'GET' }),
	]),
];

const WEBHOOK = { id: 'one', uri: 'https://n8n.example/webhook/x', hook: 'channel_destroy' };

const ATTEMPT = {
	result: 'failure',
	reason: 'bad response code',
	resp_status_code: '503',
	req_body: 'Call-ID=a&n8n_webhook_secret=b',
	timestamp: 63_962_000_000,
};
const SECRETS = ['p@ss w0rd&', 'ab'.repeat(32)];

/** Reads the PBX's responses: lists, documents, and errors (§2.1, §7). */
const responseEntryPoints = [
	entryPoint('lists and documents', bodies.jsonValues(WEBHOOK), (body) => [
		responses.listIn(body),
		responses.holdsNothing(body),
		documents.documentOf(body),
		documents.idIn(body),
		errors.loginField(responses.unwrap(body), 'auth_token'),
	]),
	entryPoint('delivery attempts', bodies.jsonValues(ATTEMPT), (body) => {
		const attempts = [body].flat().filter(isObject);
		return healthOf(new Webhook(WEBHOOK), { attempts, isKnown: true });
	}),
	entryPoint('secrets in attempts', bodies.jsonValues(ATTEMPT), (body) =>
		masks.withoutSecrets(body, SECRETS),
	),
	entryPoint('secrets in errors', bodies.jsonValues({ message: 'no' }), (body) =>
		masks.blankSecrets(body, SECRETS),
	),
	entryPoint('errors', bodies.jsonValues({ message: 'no', error: '400' }), (body) => {
		const response = { statusCode: 400, headers: {}, body };
		return [
			errors.messageIn(body),
			errors.fieldComplaints(body),
			errors.errorOfResponse(response as never),
			responses.errorOfContent(response as never, true),
		];
	}),
];

const NOW = 1_795_000_000_000;
const RECORD: IDataObject = {
	CALL_DIRECTION: 'inbound',
	BRIDGE_ID: 'one',
	CALLEE_ID_NUMBER: 'sip:100@x.example',
	CALLER_ID_NUMBER: 'sip:12125550181@x.example',
	TIMESTAMP: '63962000000',
	BILLING_SECONDS: '5',
	HANGUP_CAUSE: 'NORMAL_CLEARING',
	REC_FILE: 'a.mp3',
	REC_LINK: 'https://rec.example/',
};
const SIZE = JSON.stringify(RECORD).length;

/** Builds lists of records that differ in a few fields. */
const many = (of: (index: number) => IDataObject) => (bytes: number) =>
	Array.from({ length: Math.ceil(bytes / SIZE) }, (_, index) => ({ ...RECORD, ...of(index) }));
const lists: Bodies<IDataObject[]> = {
	'records of one call': many(() => ({})),
	'records of many calls': many((index) => ({ BRIDGE_ID: `call ${index}` })),
	'records without a call': many((index) => ({
		BRIDGE_ID: '',
		TIMESTAMP: String(63_962_000_000 + index),
	})),
	'many callers': many((index) => ({
		BRIDGE_ID: `call ${index}`,
		CALLER_ID_NUMBER: `7495${index}`,
		BILLING_SECONDS: '0',
	})),
	'many parties of one call': many((index) => ({
		CALLEE_ID_NUMBER: `1${index}`,
		CALL_DIRECTION: 'outbound',
	})),
	'loopback legs of one call': many((index) => ({
		CALLEE_ID_NUMBER: `sip:+1212555010${index % 2}@x.example`,
		CALL_DIRECTION: index % 4 === 1 ? 'outbound' : 'inbound',
	})),
	'a record with many fields': (bytes) => [
		{
			...RECORD,
			...Object.fromEntries(Array.from({ length: bytes / 12 }, (_, at) => [`field-${at}`, 0])),
		},
	],
	'a record with long texts': (bytes) => [
		Object.fromEntries(Object.keys(RECORD).map((field) => [field, '"1a<;'.repeat(bytes / 45)])),
	],
};

/** Reads call records (§2.4). */
const recordEntryPoints = [
	entryPoint('call records', lists, (records) =>
		cdrsIn(records).map((record) => [calls.simplifyCdr(record), record.key, record.recordings]),
	),
	entryPoint('calls from records', lists, (originals) => {
		const records = cdrsIn(originals);
		const all = groupByCall(records);
		const contacts = all.map(({ legs }) =>
			contactOf(calls.callOfRecords(legs), { at: NOW, isMissed: true }),
		);
		return [
			all.map(({ legs }) => calls.simplifyCall(legs)),
			missedCallers(contacts, party.bareNumber),
		];
	}),
	entryPoint('new calls in a window', lists, (records) =>
		findCandidates(new Progress('source', NOW, NOW), cdrsIn(records), 'newCall'),
	),
];

/** Both kinds: a text that doesn't end like a number is rejected early. */
const allTexts = { ...bodies.longTexts, ...bodies.endedTexts };

/** Reads single external texts, with every pattern. */
const textEntryPoints = [
	textEntryPoint('names and values of events', bodies.endedTexts, (text) => [
		[
			deliveries.plainName(text),
			hookOfName(text),
			deliveries.unflatten([[text, text]]),
			deliveries.objectOf(text),
		],
		[deliveries.findTagTexts({ [text]: text }), deliveries.withoutTag({ [text]: text })],
		[parseStructure(text), percentDecoded(text), numberToUnixMs(text), readInstant(text, 'UTC')],
		[causes.causeCode(text), causes.hangupWords(text)],
	]),
	textEntryPoint('numbers', allTexts, (text) => [
		[party.readEnd(text), party.bareNumber(text), party.readCaller(text)],
		[numbers.toE164(text, 'RU'), numbers.crmForms(text, undefined), numbers.crmForms(text, 'RU')],
	]),
	textEntryPoint('lists of numbers in filters', allTexts, (text) => [
		numbers.readNumberMatch(text, 'RU'),
		numbers.findInvalidNumber(text),
	]),
	textEntryPoint('masks of secrets', bodies.endedTexts, (text) =>
		masks.withoutSecrets(text, SECRETS),
	),
	textEntryPoint('masks of known secrets', bodies.endedTexts, (text) =>
		masks.blankSecrets(text, SECRETS),
	),
	textEntryPoint('masks of names', bodies.endedTexts, (text) =>
		masks.withoutSecrets({ [text]: 1 }, SECRETS),
	),
	textEntryPoint('routing requests and answers of one text', bodies.endedTexts, (text) => [
		simplifyRequest({ method: 'POST', query: { from: text, to: text }, body: text }),
		checkAnswer(text),
		checkAnswer({ type: 'extension', extension: text, timeout: text }),
	]),
	textEntryPoint('error messages', bodies.endedTexts, (text) => [
		[
			errors.messageIn(text),
			errors.messageIn({ message: text }),
			errors.fieldComplaints({ data: { a: { b: text } } }),
		],
		[
			errors.errorOfResponse({
				statusCode: 429,
				headers: { 'retry-after': text },
				body: { a: text },
			}),
		],
	]),
	textEntryPoint('addresses and file names', bodies.endedTexts, (text) => [
		[flow.webserverOf(text), new Webhook({ uri: text }).calls('https://n8n.example/webhook/x')],
		new Webhook({ name: text }).workflow,
		labelFile({ headers: { 'content-type': text }, address: text, start: Buffer.from(text) }, text),
	]),
];

/** Every entry point for external input. */
export const entryPoints = [
	...eventEntryPoints,
	...routingEntryPoints,
	...responseEntryPoints,
	...recordEntryPoints,
	...textEntryPoints,
];
