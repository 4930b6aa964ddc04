import { gunzipSync } from 'node:zlib';
import { seedWithBranch, startSandbox, type Sandbox, type Settings } from '../../sandbox';
import { sender, type Answer, type Send } from './support/http';
import { itemOf, itemsOf } from './support/contract';

const DEMO = { login: 'demo', password: 'demo-password', realm: 'demo.sandbox.local' };
const BRANCH = { login: 'branch', password: 'branch-password', realm: 'branch.sandbox.local' };

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ seed: seedWithBranch, settings: { speed: 10_000 } });
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
const branch = () => `/accounts/${accountId(BRANCH.realm)}`;

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

	test('with sessions_per_login 1 a login ends the earlier token of that login only', async () => {
		change({ sessions_per_login: 1 });
		const other = await logIn(BRANCH);
		const [first, second] = [await logIn(), await logIn()];
		expect([await works(first), await works(second)]).toEqual([401, 200]);
		expect((await other('GET', `${branch()}/webhooks`)).status).toBe(200);
	});

	test.each([
		['401', 401, undefined],
		['403', 403, undefined],
		['message', 400, 'invalid_credentials'],
	] as const)(
		'token_refusal %s tells so of a token that has ended',
		async (how, status, message) => {
			change({ token_refusal: how });
			const send = await logIn();
			sandbox.pbx.tokens.expire();
			const answer = await send('GET', `${own()}/webhooks`);
			expect([answer.status, answer.body.error_message]).toEqual([status, message]);
		},
	);

	test('tokens that nobody uses any more do not pile up', () => {
		const account = sandbox.pbx.firstAccount;
		const first = sandbox.pbx.tokens.issue(account);
		for (let index = 0; index < 10_000; index++) sandbox.pbx.tokens.issue(account);
		expect(sandbox.pbx.tokens.check(first, 3600)).toBeUndefined();
		expect(sandbox.pbx.tokens.expire()).toBe(10_000);
	});
});

describe('an account below another one', () => {
	test('the login of the upper account may act in it, its own login not in the upper one', async () => {
		const send = await logIn();
		const created = await send('PUT', `${branch()}/webhooks`, { data: webhook });
		expect(created.status).toBe(201);
		const list = itemsOf(await send('GET', `${branch()}/webhooks`));
		expect(list.map(({ id }) => id)).toEqual([itemOf(created).id]);
		expect(itemsOf(await send('GET', `${own()}/webhooks`))).toEqual([]);
		const [first] = itemsOf(await send('GET', `${branch()}/callflows`));
		expect(first?.name).toBe('Branch number');
		const lower = await logIn(BRANCH);
		expect((await lower('GET', `${branch()}/callflows`)).status).toBe(200);
		expect((await lower('GET', `${own()}/callflows`)).status).toBe(404);
	});

	test('its calls are its own: they leave its CDRs, with ACCOUNT_ID', async () => {
		const send = await logIn();
		await sandbox.call({ account_id: accountId(BRANCH.realm), to: '300' });
		const cdrs = itemsOf(await send('GET', `${branch()}/cdrs`));
		expect(cdrs.map((cdr) => cdr.ACCOUNT_ID)).toEqual(
			Array.from({ length: 2 }, () => accountId(BRANCH.realm)),
		);
		expect(itemsOf(await send('GET', `${own()}/cdrs`))).toEqual([]);
	});

	test.each(['404', '403'] as const)(
		'another company is refused with foreign_account %s, as is an unknown one',
		async (status) => {
			change({ foreign_account: status });
			const send = await logIn();
			for (const id of [accountId('second.sandbox.local'), '0'.repeat(32)]) {
				expect((await send('GET', `/accounts/${id}/cdrs`)).status).toBe(Number(status));
			}
		},
	);

	test('a seed whose account is below an unknown one, or below itself, is refused', async () => {
		const [first] = seedWithBranch.accounts;
		const seedBelow = (parent: string) => ({ accounts: [{ ...first, parent }] });
		await expect(startSandbox({ seed: seedBelow('nowhere.local') })).rejects.toThrow(
			'Seed /accounts/0/parent: no account above has the realm nowhere.local',
		);
		await expect(startSandbox({ seed: seedBelow('demo.sandbox.local') })).rejects.toThrow(
			'Seed /accounts/0/parent',
		);
	});
});

describe('what may be written', () => {
	test.each([
		['both', 201, 201],
		['login', 201, 404],
		['account', 404, 201],
	] as const)('creation_path %s', async (creation_path, byLogin, byAccount) => {
		change({ creation_path });
		const send = await logIn();
		const data = (number: string) => ({ data: { numbers: [number], flow } });
		expect((await send('PUT', '/callflows', data('70001'))).status).toBe(byLogin);
		expect((await send('PUT', `${own()}/callflows`, data('70002'))).status).toBe(byAccount);
	});

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

	test.each(documents)(
		'post_fields "listed" refuses further fields with a 400 that names none, %s',
		async (kind, data) => {
			change({ extra_fields: 'keep', post_fields: 'listed' });
			const send = await logIn();
			const all = `${own()}/${kind}`;
			const { id } = itemOf(await send('PUT', all, { data: { ...data, ...extra } }));
			const one = `${all}/${String(id)}`;
			for (const more of [{ owner_id: 'o1' }, { custom_data: { a: '1' } }, { id }]) {
				const answer = await send('POST', one, { data: { ...data, ...more } });
				expect([answer.status, answer.body.data]).toEqual([400, {}]);
			}
			expect(itemOf(await send('GET', one))).toMatchObject(extra);
			expect((await send('POST', one, { data })).status).toBe(200);
			expect(itemOf(await send('GET', one))).not.toHaveProperty('flags');
		},
	);
});

describe('recordings', () => {
	async function fetched(encoding: Settings['recording_encoding'], accepts: string) {
		change({ recording_encoding: encoding });
		const { body } = await control('POST', '/recordings', { seconds: 1 });
		const send = await logIn();
		const path = String(body.url).slice(`${sandbox.url}/v1/pbx`.length);
		return await send('GET', path, undefined, { 'accept-encoding': accepts });
	}
	const coding = ({ headers }: Answer) => headers.get('content-encoding');

	test.each([
		['identity', 'gzip', null],
		['gzip', 'gzip', 'gzip'],
		['gzip', 'deflate, gzip;q=0.5', 'gzip'],
		['gzip', 'identity', null],
		['gzip', 'gzip;q=0, identity', null],
		['gzip_always', 'identity', 'gzip'],
	] as const)('recording_encoding %s, accepting %s', async (encoding, accepts, expected) => {
		const answer = await fetched(encoding, accepts);
		expect([answer.status, coding(answer)]).toEqual([200, expected]);
	});

	test('a packed recording states the length of the packed body', async () => {
		const { headers } = await fetched('gzip_always', 'identity');
		const { body } = await control('POST', '/recordings', { seconds: 1 });
		const token = sandbox.pbx.tokens.issue(sandbox.pbx.firstAccount);
		const raw = await rawGet(String(body.url), token);
		expect(raw.length).toBe(Number(headers.get('content-length')));
		expect(gunzipSync(raw).length).toBe(44 + 16_000);
	});
});

/** Fetches a body without unpacking it. */
async function rawGet(url: string, token: string): Promise<Buffer> {
	const { request } = await import('undici');
	const { body } = await request(url, { headers: { 'x-auth-token': token } });
	return Buffer.from(await body.arrayBuffer());
}

test('the notes of the CRM stay bounded', async () => {
	change({ log_size: 3 });
	for (let index = 0; index < 5; index++) await control('POST', '/crm/notes', { index });
	const { body } = await control('GET', '/crm/notes');
	expect(body.count).toBe(3);
	expect((body.notes as Array<{ body: unknown }>)[0]?.body).toEqual({ index: 2 });
});
