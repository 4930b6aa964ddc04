import { createHash } from 'node:crypto';
import type { Settings } from '../../sandbox';
import { toGregorian } from '../../sandbox/model/time';
import { itemOf, itemsOf } from './support/contract';
import { sender, type Send } from './support/http';
import { useListening } from './support/listening';
import { json } from './support/receiver';

const pbx = useListening({ profile: 'kazoo', local_addresses: 'accept' });

const change = (settings: Partial<Settings>) => pbx.sandbox.pbx.change(settings);
const own: Send = async (method, path, body) => {
	const token = pbx.sandbox.pbx.tokens.issue(pbx.account);
	const base = `${pbx.sandbox.url}/v1/pbx/accounts/${pbx.account.id}`;
	return await sender(base, { 'x-auth-token': token })(method, path, body && { data: body });
};
const tries = () => pbx.sandbox.pbx.deliveries.list();
const user = { module: 'user', data: { id: 'u' }, children: {} };

describe('a stock Kazoo: its own address and login', () => {
	const logIn = async (data: object) =>
		(await sender(`${pbx.sandbox.url}/v2`)('PUT', '/user_auth', { data })).status;
	const hash = (text: string, by = 'md5') => createHash(by).update(text).digest('hex');
	const credentials = hash('demo:demo-password');

	test.each([
		['by its realm', { credentials, realm: 'demo.sandbox.local' }, 201],
		['by its name', { credentials, account_name: 'DEMO-Company' }, 201],
		[
			'by its name after an unknown realm',
			{ credentials, realm: 'x', account_name: 'demo company' },
			201,
		],
		[
			'with SHA-1',
			{
				credentials: hash('demo:demo-password', 'sha1'),
				method: 'sha',
				realm: 'demo.sandbox.local',
			},
			201,
		],
		['of another one', { credentials, realm: 'second.sandbox.local' }, 401],
		['of none', { credentials }, 401],
		[
			'without a hash',
			{ login: 'demo', password: 'demo-password', realm: 'demo.sandbox.local' },
			401,
		],
	])('the user of an account %s', async (_how, data, status) => {
		expect(await logIn(data)).toBe(status);
	});

	test('are not there with the contract', async () => {
		change({ profile: 'contract' });
		expect(await logIn({ credentials, realm: 'demo.sandbox.local' })).toBe(404);
	});
});

describe('a stock Kazoo: callflows', () => {
	test('numbers of 8 digits and more are stored with +, found only as stored, and reached without', async () => {
		const made = await own('PUT', '/callflows', {
			numbers: ['74957770001', '1234567'],
			flow: user,
		});
		expect(itemOf(made).numbers).toEqual(['+74957770001', '1234567']);
		const find = async (number: string) =>
			itemsOf(await own('GET', `/callflows?filter_numbers=${number}`)).length;
		expect([await find('74957770001'), await find('%2B74957770001')]).toEqual([0, 1]);
		const { call } = await pbx.call({ to: '74957770001' });
		expect(call.callflowId).toBe(itemOf(made).id);
		expect(pbx.account.callflows.match('74950000100')?.numbers).toEqual(['+74950000100']);
	});

	test('metadata is stored when it is posted, and defaults of modules are written into deeper nodes', async () => {
		const flow = { module: 'play', data: {}, children: { _: user } };
		const made = itemOf(
			await own('PUT', '/callflows', { numbers: ['55'], flow, metadata: { a: 1 } }),
		);
		expect(made).toMatchObject({
			metadata: { a: 1 },
			flow: { children: { _: { data: { id: 'u', timeout: 20 } } } },
		});
		expect(itemOf(await own('GET', `/callflows/${String(made.id)}`)).metadata).toEqual({ a: 1 });
	});

	test.each([
		['http://n8n.example.com/r', {}, 201],
		['http://localhost:5678/r', { local_addresses: 'refuse' }, 400],
		['{dflow}&callflow_id=1&webserver=127.0.0.1/r', {}, 400],
		['{dflow}&callflow_id=1&webserver=127.0.0.1/r', { voice_urls: 'dflow' }, 201],
		['http://n8n.example.com/r', { voice_urls: 'dflow' }, 400],
	] as const)(
		'a voice_url %s with the settings %j is answered by %i',
		async (voice_url, settings, status) => {
			change(settings);
			const flow = { module: 'pivot', data: { voice_url }, children: {} };
			expect((await own('PUT', '/callflows', { numbers: ['55'], flow })).status).toBe(status);
		},
	);
});

describe('a stock Kazoo: webhooks', () => {
	const payload = { name: 'n', uri: 'http://n8n.example.com/', http_verb: 'post', retries: 2 };

	test.each([
		[{}, 201],
		[{ hook: 'all' }, 201],
		[{ http_verb: 'put' }, 400],
		[{ uri: 'http://127.0.0.1:5678/hook' }, 400],
		[{ uri: 'http://localhost/hook' }, 400],
		[{ uri: 'http://localhost.example.com/hook' }, 201],
	])('one with %j is answered by %i', async (more, status) => {
		change({ local_addresses: 'refuse' });
		const body = { ...payload, hook: 'channel_create', ...more };
		expect((await own('PUT', '/webhooks', body)).status).toBe(status);
	});

	test('the contract knows no webhook for every event', async () => {
		change({ profile: 'contract' });
		expect((await own('PUT', '/webhooks', { ...payload, hook: 'all' })).status).toBe(400);
	});

	test('the list has no custom data, but the reason why one is off, which the webhook alone does not have', async () => {
		const [webhook] = pbx.account.webhooks.all();
		if (webhook)
			Object.assign(webhook, { enabled: false, disable_reason: 'off', custom_data: { a: 'b' } });
		const [listed] = itemsOf(await own('GET', '/webhooks'));
		const alone = itemOf(await own('GET', `/webhooks/${webhook?.id}`));
		expect(listed).toMatchObject({ disable_reason: 'off' });
		expect(listed).not.toHaveProperty('custom_data');
		expect(alone).toMatchObject({ custom_data: { a: 'b' } });
		expect(alone).not.toHaveProperty('disable_reason');
	});
});

describe('a stock Kazoo: deliveries', () => {
	beforeEach(() => {
		for (const { id } of pbx.account.webhooks.all().slice(1)) pbx.account.webhooks.remove(id);
	});

	test('a webhook for all gets every event of a call', async () => {
		for (const webhook of pbx.account.webhooks.all()) webhook.hook = 'all';
		await pbx.call();
		const hooks = pbx.receiver.received.map(({ text }) =>
			new URLSearchParams(text).get('hook_event'),
		);
		expect(new Set(hooks)).toEqual(
			new Set(['channel_create', 'channel_answer', 'channel_destroy']),
		);
		expect(hooks).toHaveLength(6);
	});

	test('a redirect is followed by a GET without a body', async () => {
		pbx.receiver.respond = ({ url }, response) =>
			url === '/hook'
				? response.writeHead(302, { location: `${pbx.receiver.url}/there` }).end()
				: response.end();
		await pbx.call({ outcome: 'busy' });
		expect(pbx.receiver.received.slice(0, 2)).toMatchObject([
			{ method: 'POST', url: '/hook' },
			{ method: 'GET', url: '/hook/there', text: '' },
		]);
		expect(tries()[0]).toMatchObject({ result: 'accepted' });
	});

	test.each([201, 204, 401, 404, 503])('status %i is a failure and ends it', async (status) => {
		pbx.receiver.respond = (_received, response) => response.writeHead(status).end();
		await pbx.call({ outcome: 'busy' });
		expect(tries()).toMatchObject([
			{ try: 1, result: 'failed' },
			{ try: 1, result: 'failed' },
		]);
	});

	test('a refused connection is tried again', async () => {
		for (const webhook of pbx.account.webhooks.all()) webhook.uri = 'http://127.0.0.1:9/gone';
		await pbx.call({ outcome: 'busy' });
		expect(
			tries()
				.map((one) => one.try)
				.sort(),
		).toEqual([1, 1, 2, 2]);
		const [last] = itemsOf(await own('GET', '/webhooks/attempts'));
		expect(last).toMatchObject({
			retries_left: 'retries exceeded',
			client_error: expect.any(String),
		});
	});

	test('attempts hold failures only, whatever succeeds after them', async () => {
		pbx.receiver.respond = (_received, response, count) =>
			response.writeHead(count === 1 ? 500 : 200).end();
		await pbx.call();
		const attempts = itemsOf(await own('GET', '/webhooks/attempts'));
		expect(attempts).toMatchObject([{ result: 'failure', resp_status_code: '500' }]);
		expect(attempts[0]?.req_body).toContainEqual(['hook_event', '=', 'channel_create']);
	});
});

describe('a stock Kazoo: call records', () => {
	const control: Send = async (...ask) => await sender(`${pbx.sandbox.url}/sandbox`)(...ask);
	const record = (TIMESTAMP: number, more = {}) => ({ TIMESTAMP: String(TIMESTAMP), ...more });

	test('timestamp is when the call began, and created_from means when the record was made', async () => {
		const end = toGregorian(Date.now());
		await control('POST', '/cdrs', { records: [record(end, { BILLING_SECONDS: '20000' })] });
		const found = itemsOf(await own('GET', `/cdrs?created_from=${end - 5}&created_to=${end}`));
		expect(found).toMatchObject([{ timestamp: String(end - 20000), billing_seconds: 20000 }]);
	});

	test('the envelope comes last, and its size as a text', async () => {
		await control('POST', '/cdrs', { records: [record(toGregorian(Date.now()))] });
		const { text, body } = await own('GET', '/cdrs');
		expect([text.startsWith('{"data":['), body.page_size]).toEqual([true, '1']);
	});

	test.each([
		['filter_call_direction=outbound', 1],
		['filter_direction=outbound', 0],
		['filter_bridge_id=b@1', 0],
		['filter_custom_channel_vars.bridge_id=b@1', 2],
		['filter_caller_id_number=171', 2],
	])('%s finds %i', async (filter, count) => {
		await pbx.account.cdrs.clear();
		const now = toGregorian(Date.now());
		const more = { BRIDGE_ID: 'b@1', CALLER_ID_NUMBER: 'sip:171@acme.example' };
		const records = ['inbound', 'outbound'].map((CALL_DIRECTION) =>
			record(now, { ...more, CALL_DIRECTION }),
		);
		await control('POST', '/cdrs', { records });
		const range = `created_from=${now - 60}&created_to=${now}`;
		expect(itemsOf(await own('GET', `/cdrs?${range}&${filter}`))).toHaveLength(count);
	});

	test('page_size=0 is a 404', async () => {
		expect((await own('GET', '/cdrs?page_size=0')).status).toBe(404);
	});

	test('with times as keys, the records of a second come on both pages; more of them than a page never end', async () => {
		change({ cdr_page_key: 'time' });
		const times = [9, 8, 8, 8, 7].map((second) => 63_000_000_000 + second);
		await control('POST', '/cdrs', { records: times.map((time) => record(time)) });
		const page = async (key?: unknown) =>
			await own('GET', `/cdrs?page_size=3${key === undefined ? '' : `&start_key=${String(key)}`}`);
		const first = await page();
		const second = await page(first.body.next_start_key);
		const seconds = [first, second].map((answer) =>
			itemsOf(answer).map(({ timestamp }) => Number(timestamp) % 10),
		);
		expect(seconds).toEqual([
			[9, 8, 8],
			[8, 8, 8],
		]);
		change({ page_size: 2 });
		expect((await page(second.body.start_key)).body.next_start_key).toBe(second.body.start_key);
	});
});

describe('a stock Kazoo: routing', () => {
	const operations = { operations: [{ type: 'extension', extension: '101' }] };
	const flow = (extension: string) => ({
		module: 'user',
		data: { id: pbx.account.user({ extension })?.id },
		children: {},
	});
	const place = async (answer: (typeof pbx.receiver)['respond'], server = pbx.receiver.host) => {
		const voice_url = `http://${server}/pv?callflow_id=1`;
		const data = { req_format: 'kazoo', voice_url };
		pbx.putFlow('55', { module: 'pivot', data, children: { _: flow('100') } });
		pbx.receiver.respond = (received, response, count) =>
			received.url.startsWith('/pv') ? answer(received, response, count) : response.end();
		const { call } = await pbx.call({ to: '55' });
		return [pbx.sandbox.pbx.routing.toArray().at(-1)?.outcome, call.bridged?.callee.number];
	};

	test.each([
		['operations', json(operations), ['child', '100']],
		['204', json('', 204), ['child', '100']],
		['404', json({}, 404), ['child', '100']],
		['503', json(operations, 503), ['child', '100']],
		['another object', json({ a: 1 }), ['child', '100']],
		[
			'an empty 200',
			((_, response) => response.end()) as ReturnType<typeof json>,
			['ended', undefined],
		],
		[
			'a 200 of no JSON',
			((_, response) => response.end('<p>')) as ReturnType<typeof json>,
			['ended', undefined],
		],
	])('%s', async (_what, answer, outcome) => {
		expect(await place(answer)).toEqual(outcome);
	});

	test('after a refused connection the caller hears nothing for 10 s', async () => {
		change({ speed: 1000 });
		expect(await place(json({}), '127.0.0.1:9')).toEqual(['child', '100']);
		const [call] = pbx.sandbox.exchange.list();
		expect(call?.legs[1]?.created).toBeGreaterThanOrEqual(10);
	});

	test('a flow is executed, and operations with the form of a provider', async () => {
		expect(await place(json(flow('101')))).toEqual(['executed', '101']);
		change({ pivot_answers: 'kazoo' });
		expect(await place(json(operations))).toEqual(['executed', '101']);
	});

	test('mailboxes and sound files have IDs of their own, and extensions a callflow each', async () => {
		const idOf = async (list: string) => String(itemsOf(await own('GET', list))[0]?.id);
		const box = await idOf('/vmboxes?filter_mailbox=101');
		const sound = await idOf('/media?filter_name=welcome.wav');
		const children = { _: { module: 'voicemail', data: { id: box }, children: {} } };
		pbx.receiver.respond = json({ module: 'play', data: { id: sound }, children });
		const voice_url = `http://${pbx.receiver.host}/pv`;
		pbx.putFlow('55', { module: 'pivot', data: { voice_url }, children: {} });
		const { call } = await pbx.call({ to: '55' });
		expect([...call.steps].join()).toMatch(/plays welcome.wav.*mailbox of 101 takes a message/);
		const extension = await idOf('/callflows?filter_numbers=101');
		expect(pbx.account.callflows.get(extension)?.flow).toMatchObject({ module: 'user' });
	});

	test('of a response format that it does not know, it asks without a word about the call', async () => {
		const voice_url = `http://${pbx.receiver.host}/pv`;
		pbx.putFlow('56', { module: 'pivot', data: { req_format: 'pbx', voice_url }, children: {} });
		await pbx.call({ to: '56' });
		expect(pbx.receiver.received.map(({ url }) => url)).toContain('/pv');
	});
});
