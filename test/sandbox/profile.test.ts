import type { Settings } from '../../sandbox';
import { toGregorian } from '../../sandbox/model/time';
import { itemsOf } from './support/contract';
import { sender, type Send } from './support/http';
import { useListening } from './support/listening';

const GREGORIAN_OFFSET = 62_167_219_200;
const OPEN: Partial<Settings> = { profile: 'field', recording_delay_seconds: 0 };
const pbx = useListening(OPEN);

const change = (settings: Partial<Settings>) => pbx.sandbox.pbx.change(settings);
const deliveries = () => pbx.sandbox.pbx.deliveries.list();
const account = () => `/accounts/${pbx.account.id}`;

function logged(token = pbx.sandbox.pbx.tokens.issue(pbx.account)): Send {
	return sender(`${pbx.sandbox.url}/v1/pbx`, { 'x-auth-token': token });
}

/** What was received, each delivery read as the form that it is. */
const forms = () =>
	pbx.receiver.received.map(({ text }) => Object.fromEntries(new URLSearchParams(text)));

/** Leaves one webhook, for the end of calls. */
function onlyDestroy(retries: number, custom?: Record<string, unknown>): void {
	for (const { id } of pbx.account.webhooks.all()) pbx.account.webhooks.remove(id);
	pbx.listen(custom, retries);
	for (const { id, hook } of pbx.account.webhooks.all()) {
		if (hook !== 'channel_destroy') pbx.account.webhooks.remove(id);
	}
}

describe('one setting', () => {
	test('gives the others their defaults; a setting that is named holds', () => {
		expect(pbx.sandbox.pbx.settings).toMatchObject({
			profile: 'field',
			page_size: 50,
			speed: 10_000,
		});
		change({ legs: 'outbound' });
		change({ profile: 'contract' });
		expect(pbx.sandbox.pbx.settings).toMatchObject({
			page_size: 0,
			speed: 10_000,
			legs: 'outbound',
		});
	});
});

describe('seen in the field: call records', () => {
	const cdrs = async (query = '') => itemsOf(await logged()('GET', `${account()}/cdrs${query}`));
	const range = `created_from=${toGregorian(Date.now()) - 3600}&created_to=${toGregorian(Date.now()) + 3600}`;

	test('numbers come with the name where there is one, else bare', async () => {
		await pbx.call({ from: '100', to: '17185550144' });
		expect(await cdrs()).toMatchObject([
			{ CALLER_ID_NUMBER: '100 (Grace Miller)', CALLEE_ID_NUMBER: '17185550144' },
		]);
	});

	test('the server filters by the whole text', async () => {
		await pbx.call({ from: '100', to: '17185550144' });
		const filter = (text: string) =>
			cdrs(`?${range}&filter_caller_id_number=${encodeURIComponent(text)}`);
		expect(await filter('100')).toEqual([]);
		expect(await filter('100 (Grace Miller)')).toHaveLength(1);
	});

	test('a call has no inbound record', async () => {
		await pbx.call();
		expect((await cdrs()).map((cdr) => cdr.CALL_DIRECTION)).toEqual(['outbound']);
	});

	test('TIMESTAMP is the end of the leg, and the stamp in REC_FILE; the name holds the Call-ID', async () => {
		const { call } = await pbx.call();
		const [cdr] = await cdrs();
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
		const { call } = await pbx.call();
		const [create, , destroy] = forms();
		expect(pbx.receiver.received[0]?.contentType).toBe('application/x-www-form-urlencoded');
		const device = pbx.account.user({ extension: '100' })?.devices[0];
		expect(destroy).toEqual({
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
		expect(create).toMatchObject({ hook_event: 'channel_create' });
		expect(create).not.toHaveProperty('hangup_cause');
	});

	test('custom data stands beside the fields, and its keys win', async () => {
		onlyDestroy(1, { secret: 's', call_id: 'mine' });
		await pbx.call();
		expect(forms()).toMatchObject([{ secret: 's', call_id: 'mine', call_direction: 'outbound' }]);
	});

	test('the legs of a click-to-call name each other', async () => {
		onlyDestroy(1);
		await pbx.call({ kind: 'click_to_call', from: '100', to: '17185550144' });
		const [first, second] = forms();
		expect([first?.other_leg_call_id, second?.other_leg_call_id]).toEqual([
			second?.call_id,
			first?.call_id,
		]);
	});

	test.each([204, 302, 503])(
		'status %i is a failure, and there is no second try',
		async (status) => {
			onlyDestroy(3);
			pbx.receiver.respond = (_received, response) => response.writeHead(status).end();
			await pbx.call();
			expect(deliveries()).toMatchObject([{ try: 1, result: 'failed' }]);
		},
	);

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
		await pbx.call();
		expect(pbx.receiver.received).toHaveLength(tries);
		if (tries === 0) expect(deliveries()).toMatchObject([{ result: 'lost' }]);
	});

	test('six failures within 60 s switch a webhook off, whatever succeeds between them', async () => {
		onlyDestroy(1);
		const statuses = [500, 500, 200, 500, 500, 200, 500, 500];
		pbx.receiver.respond = (_received, response, count) =>
			response.writeHead(statuses[count - 1] ?? 200).end();
		for (let index = 0; index < 7; index++) await pbx.call();
		expect(pbx.account.webhooks.all()).toMatchObject([{ enabled: true }]);
		await pbx.call();
		const [webhook] = pbx.account.webhooks.all();
		expect(webhook).toMatchObject({ enabled: false, disable_reason: 'too many failed attempts' });
		await pbx.call();
		expect(pbx.receiver.received).toHaveLength(8);
	});

	test('attempts have the keys of the old platform, or of the new one', async () => {
		onlyDestroy(1);
		pbx.receiver.respond = (_received, response, count) =>
			response.writeHead(count === 1 ? 503 : 200).end('because');
		await pbx.call();
		await pbx.call();
		const attempts = async () => itemsOf(await logged()('GET', `${account()}/webhooks/attempts`));
		const timestamp = expect.any(Number);
		const hook_id = pbx.account.webhooks.all()[0]?.id;
		expect(await attempts()).toEqual([
			{ hook_id, result: 'success', timestamp },
			{
				hook_id,
				result: 'failure',
				reason: 'bad response code',
				response_code: '503',
				response_body: 'because',
				retries_left: 0,
				timestamp,
			},
		]);
		change({ profile: 'contract' });
		expect((await attempts())[1]).toMatchObject({
			method: 'post',
			uri: pbx.receiver.url,
			req_body: expect.stringContaining('hook_event=channel_destroy'),
			resp_status_code: '503',
			resp_body: 'because',
		});
	});
});

describe('seen in the field: errors', () => {
	test('a refused token is 401 invalid_credentials, and the body repeats it', async () => {
		const answer = await logged('no-such-token')('GET', `${account()}/webhooks`);
		expect(answer.status).toBe(401);
		expect(answer.body).toEqual({
			data: {},
			error: '401',
			error_message: 'invalid_credentials',
			message: 'invalid_credentials',
			status: 'error',
			request_id: expect.any(String),
			auth_token: 'no-such-token',
		});
	});
});
