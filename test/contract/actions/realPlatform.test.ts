import type { IDataObject } from 'n8n-workflow';

import { TIMEOUTS } from '../../../nodes/VirtualPbx/pbx/http/timeouts';
import { startTrigger } from '../../support/core';
import type { StoredCredential } from '../../support/core';
import { credentialOf, operate } from '../../support/operate';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx, SeenRequest } from '../../support/scriptedPbx';

/** How a real Kazoo keeps callflows: numbers with a plus sign, its own formats only, and `metadata` in what it shows. */
let store: Map<string, IDataObject>;
let formats: string[];
let pbx: ScriptedPbx;
let account: StoredCredential;
let created: number;
const usual = { ...TIMEOUTS };
/** Stands in the way of reading single callflows. */
let readFault: ScriptedAnswer | undefined;

const refused = (field: string, rule: IDataObject): ScriptedAnswer => ({
	status: 400,
	body: { data: { [field]: rule }, error: '400', message: 'validation error', status: 'error' },
});
const stored = (number: string) => (/^[2-9]\d{7,}$/.test(number) ? `+${number}` : number);

function write(id: string, data: IDataObject): ScriptedAnswer {
	const numbers = (data.numbers as string[]).map(stored);
	const taken = [...store.values()].find(
		(other) => other.id !== id && (other.numbers as string[]).some((one) => numbers.includes(one)),
	);
	if (taken) {
		const cause = numbers.find((one) => (taken.numbers as string[]).includes(one));
		return refused('numbers', {
			unique: { message: `Number ${cause} exists in callflow ${taken.id} A`, cause },
		});
	}
	const { module, data: of } = data.flow as { module: string; data: IDataObject };
	if (module === 'pivot' && !formats.includes(of.req_format as string)) {
		const message = 'Value not found in enumerated list of values';
		return refused('flow.data.req_format', {
			enum: { message, target: formats, value: of.req_format },
		});
	}
	store.set(id, { ...structuredClone(data), numbers, id });
	return { body: { data: store.get(id), status: 'success' } };
}

function answer({ method, path, query, body }: SeenRequest): ScriptedAnswer | undefined {
	const id = /\/callflows(?:\/([^/]+))?$/.exec(path);
	if (!id) return undefined;
	const { data = {} } = (body ?? {}) as { data?: IDataObject };
	if (id[1] !== undefined) {
		const found = store.get(id[1]);
		if (!found) return { status: 404, body: { message: 'bad identifier' } };
		if (method === 'POST') return write(id[1], data);
		if (readFault) return readFault;
		return {
			body: { data: { ...found, metadata: { [id[1]]: { name: 'x' } } }, status: 'success' },
		};
	}
	if (method === 'PUT')
		return path.includes('/accounts/') ? write(`new${++created}`, data) : { status: 500 };
	const number = query.get('filter_numbers');
	const all = [...store.values()].filter(
		({ numbers }) => number === null || (numbers as string[]).includes(number),
	);
	const listed = all.map(({ flow, ...rest }) => ({
		...rest,
		modules: [(flow as IDataObject).module],
	}));
	return { body: { data: listed, status: 'success' } };
}

const flow = { module: 'user', data: { id: 'u1' }, children: {} };
const json = { flowSource: 'json', flow: JSON.stringify(flow) };
const serviceUrl = 'https://n8n.example.com/webhook/route';
const put = (id: string, fields: IDataObject) =>
	store.set(id, { id, name: id, patterns: [], flow, ...fields });
const writes = () =>
	pbx.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('user_auth'));
const sentFormats = () =>
	writes().map(({ body }) => {
		const { data } = body as { data: { flow: { data: IDataObject } } };
		return data.flow.data.req_format;
	});

async function start(platform?: string): Promise<void> {
	pbx = await startScriptedPbx(answer);
	account = await credentialOf(pbx, platform === undefined ? {} : { platform });
}
beforeEach(() => {
	store = new Map();
	formats = ['kazoo', 'twiml'];
	created = 0;
	readFault = undefined;
});
afterEach(async () => {
	Object.assign(TIMEOUTS, usual);
	await pbx.close();
});

describe('numbers that a PBX stores with a plus sign', () => {
	beforeEach(async () => await start());

	it.each([
		['74957654321', '+74957654321', true],
		['+74957654321', '74957654321', true],
		['7 (495) 765-43-21', '+74957654321', true],
		['101', '101', true],
		['+101', '101', false],
		['101', '+101', false],
		['7495765', '+7495765', false],
	])('%s finds the callflow with %s: %s', async (number, of, isFound) => {
		put('cf', { numbers: [of] });
		put('other', { numbers: ['+74950000000'] });
		const { items } = await operate(account, 'callflow:getMany', { filters: { number } });
		expect(items.map(({ id }) => id)).toEqual(isFound ? ['cf'] : []);
	});

	it('lead to one callflow however often and in whichever form they are upserted', async () => {
		const isNew: unknown[] = [];
		for (const number of ['74957654321', '+74957654321', 74957654321, '7 495 765-43-21']) {
			const { items, error } = await operate(account, 'callflow:upsert', {
				...json,
				number: number as string,
			});
			expect(error).toBeUndefined();
			isNew.push(items[0]?.isNew);
		}
		expect(isNew).toEqual([true, false, false, false]);
		expect([...store.values()].map(({ numbers }) => numbers)).toEqual([['+74957654321']]);
	});

	it('keep their form in an update, and new ones are added as they are given', async () => {
		put('cf', { numbers: ['+74957654321', '101'] });
		await operate(account, 'callflow:update', {
			callflowId: 'cf',
			updateFields: { numbers: '74957654321, 101, 74950000001' },
		});
		const { data } = writes()[0]?.body as { data: IDataObject };
		expect(data.numbers).toEqual(['+74957654321', '101', '74950000001']);
	});

	it('are the exact ones where two callflows have them in two forms', async () => {
		put('plain', { numbers: ['74957654321'] });
		put('plus', { numbers: ['+74957654321'] });
		const { items } = await operate(account, 'callflow:upsert', {
			...json,
			number: '+74957654321',
		});
		expect(items).toEqual([expect.objectContaining({ id: 'plus', isNew: false })]);
	});

	it('that are taken are refused in words', async () => {
		put('cf', { numbers: ['+74957654321'] });
		const { error } = await operate(account, 'callflow:create', {
			...json,
			numbers: '74957654321',
		});
		expect(error?.message).toBe('Numbers: Number +74957654321 exists in callflow cf A');
		expect(error?.description).toContain('A number can belong to one callflow only.');
		expect(writes()).toHaveLength(1);
	});
});

describe('the response format of a pivot module', () => {
	const pivot = { flowSource: 'pivot', serviceUrl };
	const other = (format: string) => ({
		numbers: ['1'],
		flow: {
			module: 'pivot',
			data: { req_format: format, voice_url: 'http://a.example' },
			children: {},
		},
	});

	const BOTH = ['kazoo', 'twiml'];
	it.each<[string, { platform?: string; existing?: string; accepted: string[] }, string[]]>([
		['of another pivot module', { existing: 'own', accepted: ['own'] }, ['own', 'own']],
		['that the PBX names', { accepted: BOTH }, ['pbx', 'kazoo', 'kazoo']],
		['of the family for kazoos', { platform: 'kazoos', accepted: BOTH }, ['kazoo', 'kazoo']],
		[
			'that is not XML',
			{ platform: 'kazoos', existing: 'twiml', accepted: BOTH },
			['kazoo', 'kazoo'],
		],
		['of the platform', { platform: 'voice', accepted: ['voice'] }, ['voice', 'voice']],
	])('is the one %s', async (_, { platform, existing, accepted }, sent) => {
		formats = accepted;
		if (existing !== undefined) put('pivot', other(existing));
		await start(platform);
		const { error } = await operate(account, 'callflow:create', { ...pivot, numbers: '555' });
		expect(error).toBeUndefined();
		expect(sentFormats()).toEqual(sent);
	});

	it.each<[string, ScriptedAnswer]>([
		['is refused', { status: 403 }],
		['is to wait', { status: 429, headers: { 'retry-after': '15' } }],
		['is not answered', { raw: () => undefined }],
		['is no JSON', { raw: (response) => void response.end('<p>Sign in</p>') }],
	])('is the one of the platform, soon, where the look-up %s', async (_, fault) => {
		formats = ['pbx'];
		TIMEOUTS.lookUp = 2_000;
		for (const id of ['a', 'b', 'c']) put(id, other('own'));
		readFault = fault;
		await start();
		const { error } = await operate(account, 'callflow:create', { ...pivot, numbers: '555' });
		expect(error).toBeUndefined();
		expect(sentFormats()).toEqual(['pbx', 'pbx']);
		const reads = pbx.requests.filter(({ method, path }) =>
			/GET .*flows\/./.test(`${method} ${path}`),
		);
		expect(reads.length).toBeLessThanOrEqual(1);
	});

	it('is found out once for all items of an execution', async () => {
		await start();
		const input = [1, 2, 3].map((number) => ({ json: { number } }));
		const parameters = { ...pivot, number: '={{ $json.number + 1000 }}' };
		const { error } = await operate(account, 'callflow:upsert', parameters, { input } as never);
		expect(error).toBeUndefined();
		expect(sentFormats().filter((format) => format !== 'kazoo')).toEqual(['pbx']);
	});

	it('is the user’s where the user names one, and the refusal says which are taken', async () => {
		await start();
		const { error } = await operate(account, 'callflow:create', {
			...pivot,
			numbers: '555',
			additionalFields: { serviceFormat: 'mine' },
		});
		expect(sentFormats()).toEqual(['mine']);
		expect(error?.message).toContain('(accepted: "kazoo", "twiml")');
	});

	it('stays in an update, with whatever else the form does not set', async () => {
		formats = ['kazoo', 'own'];
		const data = {
			method: 'POST',
			req_timeout: '9',
			req_format: 'own',
			voice_url: 'http://old.example',
			debug: true,
		};
		put('cf', { numbers: ['555'], flow: { module: 'pivot', data, children: { _: flow } } });
		await start();
		const { error } = await operate(account, 'callflow:update', { callflowId: 'cf', ...pivot });
		expect(error).toBeUndefined();
		expect(store.get('cf')?.flow).toEqual({
			module: 'pivot',
			data: {
				...data,
				voice_url: '{dflow}&callflow_id=cf&webserver=n8n.example.com/webhook/route',
			},
			children: { _: flow },
		});
	});

	it('is taken for a routing workflow, too, and nothing of it is reported', async () => {
		put('cf', { numbers: ['+74957654321'] });
		await start();
		const trigger = await startTrigger({
			type: 'virtualPbxRoutingTrigger',
			credential: account,
			parameters: {
				responseMode: 'lastNode',
				callflowId: { __rl: true, mode: 'id', value: 'cf' },
				fallback: { step: [{ type: 'extension', extension: '100' }] },
			},
		});
		await trigger.activate();
		expect(sentFormats()).toEqual(['pbx', 'kazoo']);
		await trigger.pass(5);
		expect(trigger.reported).toEqual([]);
		await trigger.deactivate();
		expect(store.get('cf')?.flow).toEqual(flow);
		await trigger.close();
	});
});

it('computed fields are not written back, and all others are', async () => {
	const own = { ringback: { early: 'tone' }, flags: ['crm'], ui_metadata: { ui: 'console' } };
	const computed = { _rev: '1', pvt_type: 'callflow', featurecode: true, disable_reason: 'x' };
	put('cf', { numbers: ['101'], ...own, ...computed });
	await start();
	await operate(account, 'callflow:update', { callflowId: 'cf', updateFields: { name: 'B' } });
	const { data } = writes()[0]?.body as { data: IDataObject };
	expect(data).toEqual({ name: 'B', numbers: ['101'], patterns: [], flow, ...own });
});

it('a feature code is written back, unlike the flag of the list', async () => {
	const featurecode = { name: 'park', number: '3' };
	put('cf', { numbers: ['*3'], featurecode });
	await start();
	await operate(account, 'callflow:update', { callflowId: 'cf', updateFields: { name: 'B' } });
	expect(writes()[0]?.body).toMatchObject({ data: { featurecode } });
});
