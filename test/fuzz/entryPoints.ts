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
import { entryPoint, OF_TEXTS } from './growth';
import type { Bodies } from './growth';

const { name, args } = sampleOf('ended', 63_962_000_000);
const SAMPLE = { name, args, [deliveries.TAG_NAME]: 'ab'.repeat(32) };
const SELECTION = {
	events: ['ended'],
	legs: 'oncePerCall',
	filters: { countVoicemail: true },
} as const;
const allLong = (bytes: number) => {
	const fields = [...Object.keys(args), 'custom_data'];
	const text = '1a<;"'.repeat(bytes / 5 / fields.length);
	const long = Object.fromEntries(fields.map((field) => [field, text]));
	return JSON.stringify({ name, args: { ...args, ...long } });
};

const take = (text: string, parsed: unknown) => {
	const delivery = deliveries.readDelivery({ text, parsed, isJson: text === '' });
	if ('rejection' in delivery) return [];
	return [{ tags: deliveries.findTags(delivery.entry), entry: delivery.entry }];
};
const readEvents = (raw: string) =>
	take(raw, undefined).map(({ entry }) => {
		const read = readEvent(entry);
		if ('rejection' in read) return read;
		const { event } = read;
		return [
			selectEvent(eventCall(event), SELECTION),
			itemOf(event, 'ended', { standsForCall: true, pair: event, customKeys: ['office'] }),
			dedupeKeysOf('https://n8n.example', { event, role: 'undecided', value: 'ended' }, true),
			deliveries.withoutTag(event.source),
		];
	});

const REQUEST = { 'Call-ID': 'a', From: '12125550181', To: '12125550100', Request: '100' };
const readRequest = (body: unknown) => simplifyRequest({ method: 'POST', query: {}, body });
const FLOW = { module: 'pivot', data: { voice_url: '{dflow}&webserver=x' }, children: {} };
const STEP = { type: 'extension', extension: '101', timeout: 20 };

/** What strangers send to webhooks, and what workflows answer (§2.2, §2.3, §6). */
const deliveryEntryPoints = [
	entryPoint('deliveries, parsed by n8n', bodies.jsonValues(SAMPLE), (body) => take('', body)),
	entryPoint(
		'events',
		{ ...bodies.jsonTexts(SAMPLE), ...bodies.formTexts, 'all fields long': allLong },
		readEvents,
	),
	entryPoint(
		'routing requests, as text',
		{ ...bodies.jsonTexts(REQUEST), ...bodies.formTexts },
		readRequest,
	),
	entryPoint('routing requests, parsed by n8n', bodies.jsonValues(REQUEST), readRequest),
	entryPoint('routing answers', bodies.jsonValues(STEP, 'operations'), (body) => checkAnswer(body)),
	entryPoint('flows as answers', bodies.flowValues, (body) => checkAnswer(body, true)),
	entryPoint('lists of steps', bodies.jsonValues(STEP, 'step'), (body) => answerOfSteps(body)),
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

/** The PBX's responses: lists, documents, and errors (§2.1, §7). */
const responseEntryPoints = [
	entryPoint('callflows', bodies.jsonValues(FLOW, 'children'), (body) => [
		flow.flowFault(body),
		flow.withPivotRoot(body, { method: 'GET' }),
	]),
	entryPoint('lists and documents', bodies.jsonValues(WEBHOOK), (body) => [
		responses.listIn(body),
		documents.documentOf(body),
		documents.idIn(body),
		errors.loginField(responses.unwrap(body), 'auth_token'),
	]),
	entryPoint('delivery attempts', bodies.jsonValues(ATTEMPT), (body) => {
		const attempts = [body].flat().filter(isObject);
		const health = healthOf(new Webhook(WEBHOOK), { attempts, isKnown: true });
		return [health, masks.withoutSecrets(body, SECRETS)];
	}),
	entryPoint('errors', bodies.jsonValues({ message: 'no', error: '400' }), (body) => {
		const response = { statusCode: 400, headers: {}, body } as never;
		return [
			[errors.messageIn(body), errors.fieldComplaints(body), masks.blankSecrets(body, SECRETS)],
			[errors.errorOfResponse(response), responses.errorOfContent(response, true)],
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
	'a record with long texts': (bytes) => [
		Object.fromEntries(Object.keys(RECORD).map((field) => [field, '"1a<;'.repeat(bytes / 45)])),
	],
};

/** Call records (§2.4). */
const recordEntryPoints = [
	entryPoint('call records', lists, (records) =>
		cdrsIn(records).map((record) => [calls.simplifyCdr(record), record.key, record.recordings]),
	),
	entryPoint('calls from records', lists, (originals) => {
		const all = groupByCall(cdrsIn(originals));
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

const ofTexts = (what: string, read: (text: string) => unknown, texts = bodies.endedTexts) =>
	entryPoint(what, texts, read, OF_TEXTS);

/** Single external texts, with every pattern. */
const textEntryPoints = [
	ofTexts('names and values of events', (text) => [
		[deliveries.plainName(text), hookOfName(text), deliveries.objectOf(text)],
		take('', `${text}=${text}`),
		[deliveries.findTagTexts({ [text]: text }), deliveries.withoutTag({ [text]: text })],
		[parseStructure(text), percentDecoded(text), numberToUnixMs(text), readInstant(text, 'UTC')],
		[causes.causeCode(text), causes.hangupWords(text)],
	]),
	ofTexts(
		'numbers',
		(text) => [
			[party.readEnd(text), party.bareNumber(text), party.readCaller(text)],
			[numbers.toE164(text, 'RU'), numbers.crmForms(text, undefined), numbers.crmForms(text, 'RU')],
			[numbers.readNumberMatch(text, 'RU'), numbers.findInvalidNumber(text)],
		],
		bodies.allTexts,
	),
	ofTexts('masks of secrets', (text) => masks.withoutSecrets(text, SECRETS)),
	ofTexts('masks of known secrets', (text) => masks.blankSecrets(text, SECRETS)),
	ofTexts('masks of names', (text) => masks.withoutSecrets({ [text]: 1 }, SECRETS)),
	ofTexts('routing requests and answers of one text', (text) => [
		simplifyRequest({ method: 'POST', query: { from: text, to: text }, body: text }),
		checkAnswer(text),
		checkAnswer({ type: 'extension', extension: text, timeout: text }),
	]),
	ofTexts('error messages', (text) => {
		const headers = { 'retry-after': text };
		return [
			[errors.messageIn(text), errors.messageIn({ message: text })],
			errors.fieldComplaints({ data: { a: { b: text } } }),
			errors.errorOfResponse({ statusCode: 429, headers, body: { a: text } }),
		];
	}),
	ofTexts('addresses and file names', (text) => [
		[flow.webserverOf(text), new Webhook({ uri: text }).calls('https://n8n.example/webhook/x')],
		new Webhook({ name: text }).workflow,
		labelFile({ headers: { 'content-type': text }, address: text, start: Buffer.from(text) }, text),
	]),
];

/** Every entry point for external input. */
export const entryPoints = [
	...deliveryEntryPoints,
	...responseEntryPoints,
	...recordEntryPoints,
	...textEntryPoints,
];
