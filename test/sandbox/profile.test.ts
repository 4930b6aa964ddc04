import { GREGORIAN_OFFSET, toGregorian } from '../../sandbox/model/time';
import type { Settings } from '../../sandbox';
import { itemOf, itemsOf } from './support/http';
import { useListening } from './support/listening';

const FIELD: Partial<Settings> = { profile: 'field', recording_delay_seconds: 0 };
const KAZOO: Partial<Settings> = { profile: 'kazoo', local_addresses: 'accept' };
const pbx = useListening(FIELD);

const change = (settings: Partial<Settings>) => pbx.sandbox.pbx.change(settings);
const deliveries = () => pbx.sandbox.pbx.deliveries.list();
const records = async (query = '') => itemsOf(await pbx.own('GET', `/cdrs${query}`));
const attempts = async () => itemsOf(await pbx.own('GET', '/webhooks/attempts'));
const outgoing = { from: '100', to: '17185550144' };

/** Leaves one webhook, for the end of calls. */
const onlyDestroy = (retries: number, more: object = {}) =>
	pbx.listen(['channel_destroy'], { retries, ...more });

/** Answers deliveries with these statuses, one after the other, then with 200. */
const answerWith = (...statuses: number[]) => {
	pbx.receiver.respond = (_received, response, count) =>
		response.writeHead(statuses[count - 1] ?? 200).end('because');
};

test('a profile gives settings their defaults; one that is named holds', () => {
	const { settings } = pbx.sandbox.pbx;
	expect(settings).toMatchObject({ profile: 'field', page_size: 50, speed: 10_000 });
	change({ legs: 'outbound' });
	const changed = change({ profile: 'contract' });
	expect(changed).toMatchObject({ page_size: 0, speed: 10_000, legs: 'outbound' });
});

describe('seen in the field: call records', () => {
	test('numbers come with the name where there is one, and the server filters by the whole text', async () => {
		await pbx.call(outgoing);
		expect(await records()).toMatchObject([
			{ CALLER_ID_NUMBER: '100 (Grace Miller)', CALLEE_ID_NUMBER: '17185550144' },
		]);
		const [from, to] = [-3600, 3600].map((off) => toGregorian(Date.now()) + off);
		const filter = async (text: string) =>
			await records(
				`?created_from=${from}&created_to=${to}&filter_caller_id_number=${encodeURIComponent(text)}`,
			);
		expect(await filter('100')).toEqual([]);
		expect(await filter('100 (Grace Miller)')).toHaveLength(1);
	});

	test('there is none of an inbound leg, and TIMESTAMP is its end, as in REC_FILE beside the Call-ID', async () => {
		const { call } = await pbx.call();
		const [cdr, ...others] = await records();
		expect([cdr?.CALL_DIRECTION, others]).toEqual(['outbound', []]);
		const unix = (Number(cdr?.TIMESTAMP) - GREGORIAN_OFFSET) * 1000;
		const stamps = [0, 1, -1].map((off) =>
			new Date(unix + off * 1000).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-'),
		);
		const rest = `${pbx.account.id}-call_recording_${call.first.callId}.mp3`;
		expect(stamps.map((stamp) => `${stamp}-${rest}`)).toContain(cdr?.REC_FILE);
	});
});

describe('seen in the field: deliveries', () => {
	test('an event is a form of flat lower-case fields, without Msg-ID, Bridge-ID and Answer-State', async () => {
		const { call, events } = await pbx.call();
		const [create, , destroy] = events;
		expect(create?.headers['content-type']).toBe('application/x-www-form-urlencoded');
		const device = pbx.account.user({ extension: '100' })?.devices[0];
		expect(destroy?.body).toEqual({
			hook_event: 'channel_destroy',
			call_direction: 'outbound',
			call_id: call.bridged?.callId,
			other_leg_call_id: call.first.callId,
			caller_id_number: '12125550123',
			caller_id_name: '12125550123',
			callee_id_number: '100',
			callee_id_name: 'Grace Miller',
			from: '12125550123@carrier.sandbox.local',
			to: 'user_100_1@demo.sandbox.local',
			request: 'user_100_1@demo.sandbox.local',
			timestamp: expect.stringMatching(/^\d{11}$/),
			duration_seconds: '13',
			billing_seconds: '10',
			ringing_seconds: '3',
			hangup_cause: 'NORMAL_CLEARING',
			hangup_code: 'sip:200',
			account_id: pbx.account.id,
			owner_id: device?.ownerId,
			authorizing_id: device?.id,
			authorizing_type: 'device',
			reseller_id: expect.any(String),
			inception: '100@carrier.sandbox.local',
			local_resource_used: 'false',
			call_forwarded: 'false',
		});
		expect(create?.body).toMatchObject({ hook_event: 'channel_create' });
		expect(create?.body).not.toHaveProperty('hangup_cause');
	});

	test('custom data stands beside the fields, and its keys win', async () => {
		onlyDestroy(1, { custom_data: { secret: 's', call_id: 'mine' } });
		const { events } = await pbx.call();
		expect(events).toMatchObject([
			{ body: { secret: 's', call_id: 'mine', call_direction: 'outbound' } },
		]);
	});

	test.each([
		['time-out', 3],
		['time-out', 1],
		['time-out', 0],
		['broken connection', 3],
	])('a %s is tried again until `retries` tries are used up: %i', async (what, tries) => {
		change({ delivery_timeout_seconds: what === 'time-out' ? 0.05 : 10 });
		onlyDestroy(tries);
		pbx.receiver.respond = (_received, response) =>
			what === 'time-out' ? undefined : response.destroy();
		const { events } = await pbx.call();
		expect(events).toHaveLength(tries);
		if (tries === 0) expect(deliveries()).toMatchObject([{ result: 'lost' }]);
	});

	test('six failures within 60 s switch a webhook off, whatever succeeds between them', async () => {
		onlyDestroy(1);
		answerWith(500, 500, 200, 500, 500, 200, 500, 500);
		for (let index = 0; index < 7; index++) await pbx.call();
		expect(pbx.account.webhooks.all()).toMatchObject([{ enabled: true }]);
		await pbx.call();
		const off = { enabled: false, disable_reason: 'too many failed attempts' };
		expect(pbx.account.webhooks.all()).toMatchObject([off]);
		await pbx.call();
		expect(pbx.receiver.received).toHaveLength(8);
	});

	test('attempts have the keys of the old platform, or of the new one', async () => {
		onlyDestroy(1);
		answerWith(503);
		await pbx.call();
		await pbx.call();
		const [webhook] = pbx.account.webhooks.all();
		const common = { hook_id: webhook?.id, timestamp: expect.any(Number) };
		expect(await attempts()).toEqual([
			{ ...common, result: 'success' },
			{
				...{ ...common, result: 'failure', reason: 'bad response code', retries_left: 0 },
				...{ response_code: '503', response_body: 'because' },
			},
		]);
		change({ profile: 'contract' });
		expect((await attempts())[1]).toMatchObject({
			...{ method: 'post', uri: pbx.receiver.url },
			req_body: expect.stringContaining('hook_event=channel_destroy'),
			...{ resp_status_code: '503', resp_body: 'because' },
		});
	});

	test('a refused token is 401 invalid_credentials, and the body repeats it', async () => {
		const token = { 'x-auth-token': 'no-such-token' };
		const answer = await pbx.own('GET', '/webhooks', undefined, token);
		expect(answer.status).toBe(401);
		expect(answer.body).toEqual({
			data: {},
			...{ error: '401', status: 'error', request_id: expect.any(String) },
			...{ error_message: 'invalid_credentials', message: 'invalid_credentials' },
			auth_token: 'no-such-token',
		});
	});
});

describe.each([FIELD, KAZOO])('%j', (settings) => {
	test.each([201, 204, 302, 401, 503])('status %i is a failure that ends it', async (status) => {
		change({ ...settings, legs: 'outbound' });
		onlyDestroy(3);
		answerWith(status);
		await pbx.call();
		expect(deliveries()).toMatchObject([{ try: 1, result: 'failed' }]);
	});
});

describe('a stock Kazoo', () => {
	beforeEach(() => void change(KAZOO));

	test('lists webhooks without their custom data, but with the reason why one is off, which the webhook alone does not have', async () => {
		const [webhook] = pbx.account.webhooks.all();
		const hidden = { custom_data: { a: 'b' } };
		const off = { disable_reason: 'off' };
		Object.assign(webhook ?? {}, { enabled: false, ...off, ...hidden });
		const [listed] = itemsOf(await pbx.own('GET', '/webhooks'));
		const alone = itemOf(await pbx.own('GET', `/webhooks/${webhook?.id}`));
		expect(listed).toMatchObject(off);
		expect(listed).not.toHaveProperty('custom_data');
		expect(alone).toMatchObject(hidden);
		expect(alone).not.toHaveProperty('disable_reason');
	});

	test('logs failures only, whatever succeeds after them', async () => {
		answerWith(500);
		await pbx.call();
		const found = await attempts();
		expect(found).toMatchObject([{ result: 'failure', resp_status_code: '500' }]);
		expect(found[0]?.req_body).toContainEqual(['hook_event', '=', 'channel_create']);
	});

	test('tells when a call began, where created_from means when its record was made', async () => {
		const end = toGregorian(Date.now());
		const record = { TIMESTAMP: String(end), BILLING_SECONDS: '20000' };
		await pbx.control('POST', '/cdrs', { records: [record] });
		const found = await records(`?created_from=${end - 5}&created_to=${end}`);
		expect(found).toMatchObject([{ timestamp: String(end - 20000), billing_seconds: 20000 }]);
	});
});
