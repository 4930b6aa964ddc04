import { startSandbox } from '../../sandbox';
import { SANDBOX_LOGIN } from '../../tools/sandbox-client';
import { useListening } from './support/listening';

const pbx = useListening();
const { control } = pbx;
const get = async (path: string) => (await control('GET', path)).body;

test('state shows accounts, employees and numbers, and no password', async () => {
	const { text, body } = await control('GET', '/state');
	expect(text).not.toContain('password');
	expect(body.accounts).toMatchObject([
		{
			...{
				login: 'demo',
				realm: 'demo.sandbox.local',
				id: expect.stringMatching(/^[0-9a-f]{32}$/),
			},
			users: [{ extension: '100' }, { extension: '101' }, { extension: '102', mailbox: false }],
		},
		{ login: 'second', realm: 'second.sandbox.local' },
	]);
});

test('a call is answered at once with its id; wait answers when it is over', async () => {
	const { status, body } = await control('POST', '/calls', { speed: 1 });
	const active = { state: 'active', from: '12125550123', to: '100', result: null };
	expect([status, body]).toMatchObject([201, active]);
	const path = `/calls/${String(body.id)}`;
	expect((await get(path)).id).toBe(body.id);
	const cancelled = { state: 'ended', result: 'cancelled' };
	expect((await control('DELETE', path)).body).toMatchObject(cancelled);
	const whole = await control('POST', '/calls', { wait: true });
	expect(whole.body).toMatchObject({ state: 'ended', result: 'answered' });
	expect(await get('/calls')).toMatchObject({ count: 2, active: 0 });
});

test('requests are logged with row, status and account, without passwords, and counted', async () => {
	const { body: login } = await pbx.bare('PUT', '/user_auth', { data: SANDBOX_LOGIN });
	const webhook = {
		...{ name: 'x', uri: 'http://127.0.0.1:9', http_verb: 'post', hook: 'channel_create' },
		...{ retries: 0, custom_data: { k: 's3cret' } },
	};
	await pbx.own('PUT', '/webhooks', { data: webhook });
	await pbx.own('GET', '/webhooks?x=1');
	const { text, body } = await control('GET', '/requests');
	const account_id = pbx.account.id;
	const row = 'PUT /accounts/:account_id/webhooks';
	const path = `/v1/pbx/accounts/${account_id}/webhooks?x=1`;
	expect(body.counters).toEqual({
		...{ total: 3, logins: 1, by_status: { 200: 1, 201: 2 } },
		by_row: { 'PUT /user_auth': 1, [row]: 1, [row.replace('PUT', 'GET')]: 1 },
	});
	expect(body.requests).toMatchObject([
		{ method: 'PUT', row: 'PUT /user_auth', status: 201, account_id },
		{ method: 'PUT', row, status: 201, body: { data: { ...webhook, custom_data: '[redacted]' } } },
		{ method: 'GET', path, status: 200 },
	]);
	for (const secret of ['demo-password', String(login.auth_token), 's3cret'])
		expect(text).not.toContain(secret);
	expect((await get('/requests?method=GET&limit=1')).count).toBe(1);
	await control('POST', '/reset');
	expect(await get('/requests')).toMatchObject({ count: 0, counters: { total: 0, logins: 0 } });
});

test('settings are read and changed; a wrong one is refused and nothing changes', async () => {
	const changes = { page_size: 2, speed: 5 };
	expect((await control('PATCH', '/settings', changes)).body).toMatchObject(changes);
	for (const wrong of [{ custom_data_placement: 'nowhere' }, { no_such: 1 }])
		expect((await control('PATCH', '/settings', wrong)).status).toBe(400);
	expect(await get('/settings')).toMatchObject({ ...changes, custom_data_placement: 'top' });
});

test('a reset goes back to the seed, with the same ids', async () => {
	const { id } = pbx.account;
	await control('PATCH', '/settings', { platform: 'other' });
	await control('POST', '/crm/notes', { a: 1 });
	await control('POST', '/faults', { kind: 'drop' });
	await control('POST', '/calls', { wait: true });
	await control('POST', '/reset', {});
	expect(await get('/settings')).toMatchObject({ platform: 'pbx', speed: 10_000 });
	for (const path of ['/crm/notes', '/faults', '/calls', '/requests', '/webhooks'])
		expect((await get(path)).count).toBe(0);
	expect(pbx.account.id).toBe(id);
});

test('a wrong seed or setting keeps the sandbox from starting, in words', async () => {
	await expect(startSandbox({ seed: { accounts: [{ name: 'x' }] } })).rejects.toThrow(
		/Seed \/accounts\/0/,
	);
	await expect(startSandbox({ settings: { page_size: -1 } })).rejects.toThrow(/Setting page_size/);
});
