import type { IDataObject } from 'n8n-workflow';

import { makeRecordTrigger } from '../support/core';
import { forgetLogins } from '../../nodes/VirtualPbx/pbx/login';
import { TriggerBench } from '../support/trigger';
import { operate } from '../support/operate';
import { startRoutingTrigger } from '../support/trigger/routing';

const NOON = Date.UTC(2026, 10, 20, 12) / 1000;
const range = { period: 'range', after: NOON - 3600, before: NOON + 3600 };
const filter = (filters: IDataObject) => ({ ...range, filters });
const field = (name: string, value: string) => ({ fields: { field: [{ name, value }] } });
const json = { flowSource: 'json', flow: '{"module":"user"}' };
const pivot = { flowSource: 'pivot', serviceUrl: 'https://n8n.example.com/webhook/route' };
const callFrom = (value: string, number = '1') => {
	return { employee: { __rl: true, mode: 'extension', value }, number, options: {} };
};
const callTo = (number: string) => callFrom('100', number);
const url = { source: 'url', recordingUrl: 'https://pbx.example.com/a.mp3' };
const webhook = { name: 'CRM', uri: 'https://crm.example.com' };
const buildFlow = (flow: string) => ({ specifyAnswer: 'flow', flow });

/** What each operation says, and for which parameters. */
const OPERATIONS: Record<string, Record<string, IDataObject[]>> = {
	'callflow:create': {
		"'Numbers' is empty": [json],
		"'Numbers' contains an empty entry": [{ numbers: '1,,2', ...json }],
		"'Patterns' contains \"^(12$\", which isn't a regular expression (Unterminated group)": [
			{ numbers: '1', ...json, additionalFields: { patterns: '^(12$' } },
		],
		"'Flow (JSON)' isn't valid JSON: Expected ':' after property name in JSON at position 9": [
			{ numbers: '1', ...json, flow: '{"module"' },
		],
		"'Flow (JSON)' isn't valid: the flow has no \"module\"": [
			{ numbers: '1', ...json, flow: '{}' },
		],
		'\'Web Service URL\' must not contain "?": the PBX appends the address to its own query': [
			{ numbers: '1', ...pivot, serviceUrl: 'https://a.example/b?c=d' },
		],
		"'Request Timeout (Seconds)' must be a number of at least 0.1": [
			{ numbers: '1', ...pivot, additionalFields: { serviceTimeout: 0 } },
		],
	},
	'callflow:update': {
		'There is nothing to update': [{ callflowId: 'x' }],
		"'Numbers' contains an empty entry": [{ callflowId: 'x', updateFields: { numbers: '' } }],
	},
	'callflow:getMany': { "'Number' is empty": [{ filters: { number: '={{ $json.nope }}' } }] },
	'callflow:upsert': {
		"'Number' must contain exactly one phone number": [{ number: '1,2', ...json }],
	},
	'callflow:fly': { 'The operation "fly" of "callflow" doesn\'t exist': [{}] },
	'cdr:getMany': {
		"The filter 'Caller Numbers' needs both 'After' and 'Before'": [
			{ after: NOON, filters: { callerNumber: '1' } },
			{ filters: field('Caller_ID_Number', '1') },
		],
		"The filter 'Call ID' needs both 'After' and 'Before'": [{ filters: { callId: 'a@b' } }],
		"In 'Other Fields', the name x has no value": [{ filters: field('x', '') }],
		"In 'Other Fields', the value y has no name": [{ filters: field('', 'y') }],
		"In 'Other Fields', a row is empty": [{ filters: field('', '') }],
		"'After' is later than 'Before'": [{ after: NOON + 1, before: NOON }],
		"'After' isn't a clear date or time: yesterday-ish": [{ after: 'yesterday-ish' }],
		"The field bridge_id appears twice in 'Filters'": [
			filter({ callId: 'a', ...field('bridge_id', 'b') }),
		],
		"'Limit' must be a whole number of at least 1": [{ limit: 0 }],
	},
	'call:get': { "'Call ID' is empty": [{ callId: ' ' }] },
	'call:getMany': {
		"\"misssed\" isn't a valid value for 'Outcomes'": [filter({ outcomes: ['misssed'] })],
		"'After' is more than 366 days before 'Before'": [{ ...range, after: NOON - 367 * 86_400 }],
		"'Employees' is empty": [filter({ employees: ' ' })],
		"\"ever\" isn't a valid value for 'Period'": [{ period: 'ever' }],
		"'Caller or Called Numbers' has no number in +": [filter({ number: '+' })],
		"'Caller or Called Numbers' has no number in ()": [filter({ number: '()' })],
		"'Caller or Called Numbers' has no number in *": [filter({ number: '*' })],
	},
	'call:getMissedCallers': {
		"\"answered\" isn't a valid value for 'Outcomes'": [filter({ outcomes: ['answered'] })],
	},
	'call:getStatistics': {
		"'Group By' has 3 entries": [{ ...range, groupBy: ['hour', 'day', 'employee'] }],
		"\"month\" isn't a valid value for 'Group By'": [{ ...range, groupBy: ['month'] }],
	},
	'call:start': {
		"'Number' can't contain * or #, which are parts of feature codes": [
			...[callTo('*72'), callTo('12125550123#')],
		],
		"'Number' isn't a phone number": [
			...[callTo('1-800-FLOWERS'), callTo('12125550123,12125550124')],
			...[callTo('1/../../users'), callTo('١٢٣٤')],
		],
		"'Number' is empty": [callTo('={{ "" }}'), callTo('={{ ({ a: 1 }) }}')],
		"'Number' has 16 digits, more than 15": [callTo('+1234567890123456')],
		"'Number' has 500 digits, more than 18": [callTo('1'.repeat(500))],
		...Object.fromEntries(
			['10 0', '12125550111', '*100', '100#', 'Ann', '1,2'].map((extension) => [
				`'Employee' must be an extension of up to 10 digits, not "${extension}"`,
				[callFrom(extension)],
			]),
		),
		"'Employee' is empty": [callFrom('={{ "" }}'), callFrom('={{ undefined }}')],
	},
	'recording:download': {
		'This item has no recording': [{ source: 'item' }],
		"'Recording URL' is empty": [{ ...url, recordingUrl: '={{ "" }}' }],
		"'Recording URL' isn't a web address: a.mp3": [{ ...url, recordingUrl: 'a.mp3' }],
		"'Put Output File in Field' is empty": [{ ...url, binaryPropertyName: ' ' }],
		"'Max Wait (Seconds)' must be a number of at least 1": [
			{ ...url, waitUntilAvailable: true, maxWaitSeconds: 0 },
		],
	},
	'routing:buildAnswer': {
		'The answer contains no steps': [{}],
		'The flow isn\'t valid: at "children._": the flow has no "module"': [
			buildFlow('{"module":"hangup","children":{"_":{}}}'),
		],
		'The answer has neither operations nor a type': [buildFlow('{"data":{}}')],
		"Step 1 (call user by extension): 'Extension' is empty": [
			{ steps: { step: [{ extension: { __rl: true, mode: 'value', value: '={{ "" }}' } }] } },
		],
	},
	'webhook:create': {
		"'URL' isn't a web address: crm.example.com": [{ ...webhook, uri: 'crm.example.com' }],
		"'Delivery Attempts' must be a whole number of at least 1": [
			{ ...webhook, additionalFields: { retries: 0 } },
		],
		"'Custom Data (JSON)' must be a JSON object": [
			{ ...webhook, additionalFields: { customData: '[1]' } },
		],
		"'Event' is empty": [{ ...webhook, hook: '={{ $json.nope }}' }],
	},
	'webhook:deleteLeftovers': {
		'The \'Node under test\' node has issues:\n- Parameter "Address" is required.': [
			{ address: '' },
		],
		"'Address' is empty": [{ address: '  ' }, { address: '={{ undefined }}' }],
		"'Address' can't be used: n8n.example.com": [{ address: 'n8n.example.com' }],
		"'Address' can't be used: https://a.example?x": [{ address: 'https://a.example?x' }],
		"'Address' can't be used: https://a.example": [{ address: 'https://me:hush@a.example' }],
	},
};

const since = (value: string) => ({ firstRun: 'since', since: value });
const delivery = (deliveryOptions: IDataObject) => ({ deliveryOptions });

/** How what each trigger says begins, and for which parameters. */
const TRIGGERS: Record<string, Record<string, IDataObject[]>> = {
	event: {
		"'Events' is empty": [{ events: [] }],
		"\"ringing\" isn't a valid value for 'Events'": [{ events: ['started', 'ringing'] }],
		"\"Exclude\" isn't a valid value for 'Call Type'": [{ filters: { callType: 'Exclude' } }],
		"\"lost\" isn't a valid value for 'Outcomes'": [
			{ filters: { outcomes: '={{ ["answered", "lost"] }}' } },
		],
		"'Called Numbers' is empty": [{ filters: { to: ', ,' } }],
		"'Minimum Talk Time (Seconds)' must be a number of at least 0": [
			{ filters: { minTalkSeconds: -1 } },
		],
		"\"both\" isn't a valid value for 'Start the Workflow'": [{ options: { legs: 'both' } }],
		"'Delivery Attempts' must be a whole number from 1 to 4": [
			...[9, 0, '', ' ', 1.5, -1, true, [2], {}, 'two'],
		].map((retries) => delivery({ retries } as IDataObject)),
		"'Check Every (Minutes)' must be a whole number from 0": [delivery({ checkMinutes: -1 })],
		"'Custom Data (JSON)' isn't valid JSON": [delivery({ customData: '{' })],
		'\'Custom Data (JSON)\' must not contain the key "Call-ID"': [
			delivery({ customData: '{"Call-ID":1}' }),
		],
		"'Delivery URL' isn't a web address: ftp://x": [delivery({ deliveryUrl: 'ftp://x' })],
		"'Delivery URL' is empty": [delivery({ deliveryUrl: '' })],
	},
	routing: {
		"'Callflow' is empty": [{ callflowId: '' }],
		"'Fallback' isn't valid: The answer contains no steps": [{ fallback: {} }],
		"'Fallback' isn't valid: Step 1 (play file): 'File Name' is empty": [
			{ fallback: { step: [{ type: 'play' }] } },
		],
		"'Deadline' (5 s) must be shorter than 'Request Timeout' (5 s)": [{ deadline: 5 }],
		"'Deadline' (60 s) must be shorter than 'Request Timeout' (5 s)": [{ deadline: 1e12 }],
		"'Deadline (Seconds)' must be a number from 0.1 to 60": [
			...[{ deadline: 0 }, { deadline: -1 }, { deadline: 'abc' }],
		],
	},
	record: {
		"'Minimum Talk Time (Seconds)' must be a number of at least 0": [
			{ filters: { minTalkSeconds: '={{ "x" }}' } },
		],
		"'Since' isn't a clear date or time: soon": [since('={{ "soon" }}')],
		"'Since' is empty": [since('')],
		"\"x\" isn't a valid value for 'Event'": [{ event: '={{ "x" }}' }],
		"\"x\" isn't a valid value for 'Calls to Start With'": [{ firstRun: '={{ "x" }}' }],
		"'Wait for Recording (Minutes)' must be a number of at least 0": [
			{ event: 'recordingReady', waitMinutes: -1 },
		],
		"'Put Output File in Field' is empty": [
			{ event: 'recordingReady', downloadRecording: true, binaryPropertyName: '={{ "" }}' },
		],
		"'Max Items per Execution' must be a number of at least 1": [
			{ startWorkflow: 'perCheck', options: { maxItems: '={{ "" }}' } },
		],
	},
};

const rowsOf = (all: typeof OPERATIONS) =>
	Object.entries(all).flatMap(([name, messages]) =>
		Object.entries(messages).flatMap(([message, parameters]) =>
			parameters.map((one) => [name, message, one] as const),
		),
	);

let bench: TriggerBench;
beforeAll(async () => (bench = await TriggerBench.start()));
beforeEach(() => forgetLogins());
afterEach(() => expect(bench.requests()).toBe(0));
afterAll(async () => await bench.close());

it.each(rowsOf(OPERATIONS))('%s sends nothing, and says %j for %j', async (...row) => {
	const [operation, message, parameters] = row;
	const { error, items } = await operate(bench.credential, operation, parameters as never);
	expect([error?.message, items]).toEqual([message, []]);
});

it.each(rowsOf(TRIGGERS))('the %s trigger sends nothing, and says %j for %j', async (...row) => {
	const [kind, message, parameters] = row;
	const { credential } = bench;
	const publish = {
		event: async () => await (await bench.trigger(parameters)).activate(),
		routing: async () => {
			const trigger = await startRoutingTrigger(credential, 'cf1', parameters);
			await trigger.activate().finally(async () => await trigger.close());
		},
		record: async () => {
			const type = 'virtualPbxRecordTrigger';
			const trigger = await makeRecordTrigger({ type, credential, parameters } as never);
			await trigger.publish('activate', { attempts: 5 });
		},
	};
	await expect(publish[kind as 'event']()).rejects.toThrow(message);
});

const UNSAFE_IDS = [
	...['.', '..', '%2e%2e', '../webhooks', 'a/b', 'a\\b', '{account_id}', '{platform}'],
	...['a?b', 'a#b', 'a\u0000b', 'a\nb', 'a\u202Eb', 'a\uD800'],
];

it.each(UNSAFE_IDS)(
	'an ID that would change the path of a request is refused: %j',
	async (value) => {
		const id = { __rl: true, mode: 'id', value };
		for (const [operation, parameters, name] of [
			['webhook:get', { webhookId: id }, 'Webhook'],
			['webhook:delete', { webhookId: id }, 'Webhook'],
			['callflow:get', { callflowId: id }, 'Callflow'],
			['callflow:delete', { callflowId: id }, 'Callflow'],
			['webhook:getMany', { options: { accountId: value } }, 'Account ID'],
		] as const) {
			const { error, items } = await operate(bench.credential, operation, parameters);
			expect([error?.message, items]).toEqual([
				expect.stringContaining(`'${name}' isn't an ID`),
				[],
			]);
		}
		bench.credential.write({ platform: value });
		const { error } = await operate(bench.credential, 'webhook:getMany');
		bench.credential.write({ platform: 'pbx' });
		expect(`${error?.message} ${error?.description}`).toContain("'API Path Segment'");
	},
);
