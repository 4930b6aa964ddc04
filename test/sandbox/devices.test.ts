import { startSandbox, type Sandbox } from '../../sandbox';
import { itemOf, itemsOf } from './support/contract';
import { sender, type Send } from './support/http';

const DEMO = { login: 'demo', password: 'demo-password', realm: 'demo.sandbox.local' };

let sandbox: Sandbox;
let send: Send;
let devices: string;
beforeAll(async () => {
	sandbox = await startSandbox({ settings: { speed: 10_000 } });
	const login = await sender(`${sandbox.url}/v1/pbx`)('PUT', '/user_auth', { data: DEMO });
	send = sender(`${sandbox.url}/v1/pbx`, { 'x-auth-token': String(login.body.auth_token) });
	devices = `/accounts/${String(itemOf(login).account_id)}/devices`;
});
afterAll(async () => await sandbox.close());

const change = (isOn: boolean) => sandbox.pbx.change({ click_to_call: isOn });

test('the contract has no devices: by default they are not found', async () => {
	expect((await send('GET', devices)).status).toBe(404);
	expect((await send('GET', `${devices}/1/quickcall/79995554433`)).status).toBe(404);
});

test('the profile field has them, as live services do', async () => {
	sandbox.pbx.change({ profile: 'field' });
	expect((await send('GET', devices)).status).toBe(200);
	sandbox.pbx.change({ profile: 'contract' });
});

test('with click_to_call, a device of the list tells its SIP user name', async () => {
	change(true);
	const listed = itemsOf(await send('GET', devices));
	const each = await Promise.all(
		listed.map(async ({ id }) => itemOf(await send('GET', `${devices}/${String(id)}`))),
	);

	expect(listed).toHaveLength(5);
	expect(listed[0]).not.toHaveProperty('sip');
	expect(each.map(({ sip }) => sip)).toContainEqual({ username: 'user_101_2' });
	expect((await send('GET', `${devices}/unknown`)).status).toBe(404);
});

test('a quickcall rings that device first and then the number, in two legs that name each other', async () => {
	change(true);
	const listed = itemsOf(await send('GET', devices));
	const softphone = listed.find(({ name }) => name === 'Softphone');
	const path = `${devices}/${String(softphone?.id)}/quickcall/79995554433`;
	const answer = await send('GET', path);
	const [call] = sandbox.exchange.list();
	if (call) await sandbox.exchange.settled(call, 'ended');
	const [own, other] = call?.legs ?? [];

	expect(answer.status).toBe(202);
	expect(itemOf(answer).application_data).toEqual({ route: '79995554433' });
	expect(own).toMatchObject({ direction: 'outbound', device: { username: 'user_101_2' } });
	expect(other).toMatchObject({ direction: 'outbound', callee: { number: '79995554433' } });
	expect([own?.other, other?.other]).toEqual([other, own]);
});

test.each(['no number', 'a%20b'])('a quickcall to “%s” is refused', async (number) => {
	change(true);
	const [first] = itemsOf(await send('GET', devices));
	const path = `${devices}/${String(first?.id)}/quickcall/${encodeURIComponent(number)}`;
	expect((await send('GET', path)).status).toBe(400);
});
