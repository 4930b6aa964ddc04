import { startSandbox, type Sandbox } from '../../sandbox';
import { SANDBOX_LOGIN } from '../../tools/sandbox-client';
import { sender, type Send } from './support/http';

let sandbox: Sandbox;
let control: Send;
beforeAll(async () => {
	sandbox = await startSandbox({ settings: { speed: 10_000 } });
	control = sender(`${sandbox.url}/sandbox`);
});
beforeEach(async () => {
	await control('POST', '/reset');
});
afterAll(async () => await sandbox.close());

const login = async () => {
	const { body } = await sender(sandbox.url)('PUT', '/v1/pbx/user_auth', { data: SANDBOX_LOGIN });
	return { token: String(body.auth_token), account: String(body.ACCOUNT_ID) };
};
const get = async (path: string) => (await control('GET', path)).body as Record<string, unknown>;

test('state shows accounts, employees and numbers, and no password', async () => {
	const { text, body } = await control('GET', '/state');
	expect(text).not.toContain('password');
	expect(body.accounts).toMatchObject([
		{
			login: 'demo',
			realm: 'demo.sandbox.local',
			id: expect.stringMatching(/^[0-9a-f]{32}$/),
			users: [{ extension: '100' }, { extension: '101' }, { extension: '102', mailbox: false }],
		},
		{ login: 'second', realm: 'second.sandbox.local' },
	]);
});

test('a call is answered at once with its id; wait answers when it is over', async () => {
	const started = await control('POST', '/calls', { speed: 1 });
	expect(started.status).toBe(201);
	expect(started.body).toMatchObject({
		state: 'active',
		from: '12125550123',
		to: '100',
		result: null,
	});
	const id = String(started.body.id);
	expect((await get(`/calls/${id}`)).id).toBe(id);
	expect((await control('DELETE', `/calls/${id}`)).body).toMatchObject({
		state: 'ended',
		result: 'cancelled',
	});
	const whole = await control('POST', '/calls', { wait: true });
	expect(whole.body).toMatchObject({ state: 'ended', result: 'answered' });
	expect(await get('/calls')).toMatchObject({ count: 2, active: 0 });
});

test('requests are logged with row, status and account, without passwords, and counted', async () => {
	const { token, account } = await login();
	const send = sender(`${sandbox.url}/v1/pbx`, { 'x-auth-token': token });
	await send('PUT', `/accounts/${account}/webhooks`, {
		data: {
			name: 'x',
			uri: 'http://127.0.0.1:9',
			http_verb: 'post',
			hook: 'channel_create',
			retries: 0,
			custom_data: { k: 's3cret' },
		},
	});
	await send('GET', `/accounts/${account}/webhooks?x=1`);
	const { text, body } = await control('GET', '/requests');
	expect(body.counters).toMatchObject({ total: 3, by_row: { 'PUT /user_auth': 1 } });
	expect(body.requests).toMatchObject([
		{ method: 'PUT', row: 'PUT /user_auth', status: 201, account_id: account },
		{
			method: 'PUT',
			row: 'PUT /accounts/:account_id/webhooks',
			status: 201,
		},
		{ method: 'GET', path: `/v1/pbx/accounts/${account}/webhooks?x=1`, status: 200 },
	]);
	for (const secret of ['demo-password', token, 's3cret']) expect(text).not.toContain(secret);
	expect((await get('/requests?method=GET&limit=1')).count).toBe(1);
	await control('POST', '/reset');
	expect(await get('/requests')).toMatchObject({ count: 0, counters: { total: 0, by_row: {} } });
});

test('settings are read and changed; a wrong one is refused and nothing changes', async () => {
	expect((await control('PATCH', '/settings', { page_size: 2, speed: 5 })).body).toMatchObject({
		page_size: 2,
		speed: 5,
	});
	expect((await control('PATCH', '/settings', { custom_data_placement: 'nowhere' })).status).toBe(
		400,
	);
	expect((await control('PATCH', '/settings', { no_such: 1 })).status).toBe(400);
	expect(await get('/settings')).toMatchObject({ page_size: 2, custom_data_placement: 'top' });
});

test('a reset goes back to the seed, with the same ids', async () => {
	const { account } = await login();
	await control('PATCH', '/settings', { platform: 'other' });
	await control('POST', '/crm/notes', { a: 1 });
	await control('POST', '/faults', { kind: 'drop' });
	await control('POST', '/calls', { wait: true });
	await control('POST', '/reset', {});
	expect(await get('/settings')).toMatchObject({ platform: 'pbx', speed: 10_000 });
	for (const path of ['/crm/notes', '/faults', '/calls', '/requests', '/webhooks']) {
		expect((await get(path)).count).toBe(0);
	}
	expect((await login()).account).toBe(account);
});

test('a wrong seed or setting keeps the sandbox from starting, in words', async () => {
	await expect(startSandbox({ seed: { accounts: [{ name: 'x' }] } })).rejects.toThrow(
		/Seed \/accounts\/0/,
	);
	await expect(startSandbox({ settings: { page_size: -1 } })).rejects.toThrow(/Setting page_size/);
});
