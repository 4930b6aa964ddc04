import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StoredCredential } from '../../support/core';
import { credentialOf, operate } from '../../support/operate';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedPbx } from '../../support/scriptedPbx';

const CALLFLOW = {
	id: 'x',
	name: 'Main',
	numbers: ['100'],
	patterns: ['^9'],
	fakenumber: true,
	flow: {
		module: 'pivot',
		data: {
			method: 'POST',
			req_timeout: '9',
			req_format: 'own',
			voice_url: '{dflow}&callflow_id=x&webserver=a.example/b',
		},
		children: {},
	},
};
const WEBHOOK = {
	id: 'x',
	name: 'Hook',
	uri: 'https://a.example/b',
	http_verb: 'put',
	hook: 'channel_answer',
	retries: 3,
	enabled: true,
	custom_data: { a: '1' },
};

let pbx: ScriptedPbx;
let account: StoredCredential;
beforeAll(async () => {
	pbx = await startScriptedPbx(({ path, body }) => {
		if (path.endsWith('user_auth')) return undefined;
		const kept = path.includes('webhooks') ? WEBHOOK : CALLFLOW;
		const { data } = (body ?? {}) as { data?: IDataObject };
		return { body: { data: /s$/.test(path) ? [kept] : { ...kept, ...data } } };
	});
	account = await credentialOf(pbx);
});
afterAll(async () => await pbx.close());
beforeEach(() => void (pbx.requests.length = 0));

/** What an expression gives that finds nothing, and what an agent leaves empty. */
const NOTHING = ['undefined', 'null', '""', '"  "', '[]', '{}'];

const pivot = { flowSource: 'pivot', serviceUrl: 'https://a.example/b' };
const inCollection =
	(collection: string, name: string, rest: INodeParameters = {}) =>
	(value: string): INodeParameters => ({
		...rest,
		[collection]: { ...(rest[collection] as object), [name]: value },
	});
const onTop =
	(name: string, rest: INodeParameters) =>
	(value: string): INodeParameters => ({ ...rest, [name]: value });

type Row = [operation: string, label: string, parameters: (value: string) => INodeParameters];
const update = (name: string, label: string, rest: INodeParameters = {}): Row => [
	'callflow:update',
	label,
	inCollection('updateFields', name, { callflowId: 'x', ...rest }),
];
const upsert = (name: string, label: string, rest: INodeParameters = {}): Row => [
	'callflow:upsert',
	label,
	inCollection('additionalFields', name, { number: '100', ...pivot, ...rest }),
];
const webhook = (name: string, label: string): Row => [
	'webhook:update',
	label,
	inCollection('updateFields', name, { webhookId: 'x' }),
];
/** Something else that is changed, so that there is something to write. */
const beside = { updateFields: { patterns: '^9' } };

const ROWS: Row[] = [
	...[update, upsert].flatMap((row) => [
		row('numbers', 'Numbers'),
		row('patterns', 'Patterns'),
		row('fakenumber', 'Fake Number'),
		row('serviceMethod', 'Request Method', pivot),
		row('serviceTimeout', 'Request Timeout', pivot),
		row('serviceFormat', 'Response Format', pivot),
	]),
	update('name', 'Name'),
	['callflow:upsert', 'Name', onTop('name', { number: '100', ...pivot })],
	[
		'callflow:update',
		'Flow',
		onTop('flowSource', { callflowId: 'x', serviceUrl: 'c.example', ...beside }),
	],
	[
		'callflow:update',
		'Flow (JSON)',
		onTop('flow', { callflowId: 'x', flowSource: 'json', ...beside }),
	],
	[
		'callflow:update',
		'Web Service URL',
		onTop('serviceUrl', { callflowId: 'x', flowSource: 'pivot', ...beside }),
	],
	['callflow:update', 'Callflow', onTop('callflowId', beside)],
	['callflow:upsert', 'Number', onTop('number', pivot)],
	webhook('name', 'Name'),
	webhook('uri', 'URL'),
	webhook('http_verb', 'Method'),
	webhook('hook', 'Event'),
	webhook('retries', 'Delivery Attempts'),
	webhook('customData', 'Custom Data (JSON)'),
];

/** The only nothing that says something: an empty list for a list (docs/callflows-and-webhooks.md). */
const isClearing = (label: string, value: string) =>
	['Numbers', 'Patterns'].includes(label) && value === '[]';

describe.each(ROWS)(
	'%s, %s from an expression that yields nothing',
	(operation, label, parametersOf) => {
		it.each(NOTHING)('is refused by name, or leaves all as it was: %s', async (value) => {
			const { error } = await operate(account, operation, parametersOf(`={{ ${value} }}`));
			const writes = pbx.requests.filter(
				({ method, path }) => method !== 'GET' && !path.endsWith('user_auth'),
			);
			if (error) {
				const isOfAll = error.message === 'There is nothing to update';
				expect(isOfAll ? `'${label}` : error.message).toContain(`'${label}`);
				expect(writes).toEqual([]);
				return;
			}
			expect(writes.map(({ method }) => method)).toEqual(['POST']);
			const { id: _, ...kept } = operation.startsWith('webhook') ? WEBHOOK : CALLFLOW;
			const list = label.toLowerCase();
			const cleared = isClearing(label, value)
				? { [list]: operation.endsWith('upsert') && list === 'numbers' ? ['100'] : [] }
				: {};
			expect(writes[0]?.body).toEqual({ data: { ...kept, ...cleared } });
		});
	},
);

it.each([
	['={{ true }}', true],
	['={{ "false" }}', false],
	['={{ 1 }}', true],
	['={{ "0" }}', false],
])('Fake Number from %s is %s', async (value, expected) => {
	const updateFields = { fakenumber: value };
	await operate(account, 'callflow:update', { callflowId: 'x', updateFields });
	expect(pbx.seen('POST', '/x')[0]?.body).toMatchObject({ data: { fakenumber: expected } });
});

it.each(['={{ "maybe" }}', '={{ 2 }}', '={{ NaN }}'])(
	'Fake Number from %s is refused',
	async (value) => {
		const updateFields = { fakenumber: value };
		const { error } = await operate(account, 'callflow:update', { callflowId: 'x', updateFields });
		expect(error?.message).toBe("'Fake Number' must be true or false");
	},
);

it('numbers and booleans in custom data are sent as text, and structures as they are', async () => {
	const updateFields = { customData: '{"n":1,"b":true,"o":{"x":1},"t":"007"}' };
	await operate(account, 'webhook:update', { webhookId: 'x', updateFields });
	expect(pbx.seen('POST', '/x')[0]?.body).toMatchObject({
		data: { custom_data: { a: '1', n: '1', b: 'true', o: { x: 1 }, t: '007' } },
	});
});
