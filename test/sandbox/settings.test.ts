import { startSandbox, type Sandbox, type Settings } from '../../sandbox';
import { sender, type Send } from './support/http';
import { itemOf } from './support/contract';

const DEMO = { login: 'demo', password: 'demo-password', realm: 'demo.sandbox.local' };

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ settings: { log_size: 3 } });
});
beforeEach(async () => await sandbox.reset());
afterAll(async () => await sandbox.close());

const change = (settings: Partial<Settings>) => sandbox.pbx.change(settings);
const control: Send = async (...ask) => await sender(`${sandbox.url}/sandbox`)(...ask);

async function logIn(credentials = DEMO): Promise<Send> {
	const bare = sender(`${sandbox.url}/v1/pbx`);
	const { body } = await bare('PUT', '/user_auth', { data: credentials });
	return sender(`${sandbox.url}/v1/pbx`, { 'x-auth-token': String(body.auth_token) });
}

const accountId = (realm: string): string =>
	[...sandbox.pbx.accounts.values()].find((account) => account.realm === realm)?.id ?? '';
const own = () => `/accounts/${accountId(DEMO.realm)}`;

const webhook = {
	name: 'Mine',
	uri: 'http://127.0.0.1:9/',
	http_verb: 'post',
	hook: 'channel_create',
	retries: 1,
};
const flow = { module: 'play', data: { filename: 'welcome.wav' }, children: {} };

describe('tokens', () => {
	const works = async (send: Send) => (await send('GET', `${own()}/webhooks`)).status;

	test('any number of tokens of one login are good at once', async () => {
		const [first, second] = [await logIn(), await logIn()];
		expect([await works(first), await works(second)]).toEqual([200, 200]);
	});
});

describe('what may be written', () => {
	const extra = { owner_id: 'o1', flags: ['a'] };
	const documents: Array<[string, object]> = [
		['callflows', { name: 'Mine', numbers: ['70003'], patterns: [], flow, fakenumber: false }],
		['webhooks', webhook],
	];

	test.each(documents)(
		'extra_fields keeps or drops what §2 does not list, %s',
		async (kind, data) => {
			const send = await logIn();
			const all = `${own()}/${kind}`;
			const dropped = itemOf(await send('PUT', all, { data: { ...data, ...extra } }));
			expect(dropped).not.toHaveProperty('owner_id');
			await send('DELETE', `${all}/${String(dropped.id)}`);
			change({ extra_fields: 'keep' });
			const { id } = itemOf(await send('PUT', all, { data: { ...data, ...extra } }));
			expect(itemOf(await send('GET', `${all}/${String(id)}`))).toMatchObject({ id, ...extra });
			await send('POST', `${all}/${String(id)}`, { data });
			expect(itemOf(await send('GET', `${all}/${String(id)}`))).not.toHaveProperty('owner_id');
		},
	);
});

test('the notes of the CRM stay bounded', async () => {
	for (let index = 0; index < 5; index++) await control('POST', '/crm/notes', { index });
	const { body } = await control('GET', '/crm/notes');
	expect(body.count).toBe(3);
	expect((body.notes as Array<{ body: unknown }>)[0]?.body).toEqual({ index: 2 });
});
