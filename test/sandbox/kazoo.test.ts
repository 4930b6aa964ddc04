import { toGregorian } from '../../sandbox/model/time';
import { itemOf, itemsOf } from './support/contract';
import { sender, type Send } from './support/http';
import { useListening } from './support/listening';
import { json } from './support/receiver';

const pbx = useListening({ profile: 'kazoo', local_addresses: 'accept' });

const own: Send = async (method, path, body) => {
	const token = pbx.sandbox.pbx.tokens.issue(pbx.account);
	const base = `${pbx.sandbox.url}/v1/pbx/accounts/${pbx.account.id}`;
	return await sender(base, { 'x-auth-token': token })(method, path, body && { data: body });
};
const tries = () => pbx.sandbox.pbx.deliveries.list();

describe('a stock Kazoo: webhooks', () => {
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

	test.each([201, 204, 401, 404, 503])('status %i is a failure and ends it', async (status) => {
		pbx.receiver.respond = (_received, response) => response.writeHead(status).end();
		await pbx.call({ outcome: 'busy' });
		expect(tries()).toMatchObject([
			{ try: 1, result: 'failed' },
			{ try: 1, result: 'failed' },
		]);
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
		return [pbx.sandbox.pbx.routing.list().at(-1)?.outcome, call.bridged?.callee.number];
	};

	test.each([
		['operations', json(operations), ['ended', undefined]],
		['204', json('', 204), ['child', '100']],
		['404', json({}, 404), ['child', '100']],
		['503', json(operations, 503), ['child', '100']],
		['another object', json({ a: 1 }), ['ended', undefined]],
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
});
