import { createHash } from 'node:crypto';
import { NodeHelpers } from 'n8n-workflow';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { authenticateRequest, loginIdOf } from '../../../nodes/VirtualPbx/pbx/credential';
import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';
import { recorded } from '../../support/corpus';
import { usePbx } from '../../support/sandbox';
import { testCredential } from '../../support/core';
import { credentialOf, operate } from '../../support/operate';
import { ACCOUNT_ID, startScriptedPbx } from '../../support/scriptedPbx';

const HASH = createHash('md5').update('demo:demo-password').digest('hex');
const kazoo = { ...SANDBOX_LOGIN, dialect: 'kazoo' };

const pbx = usePbx({ settings: { profile: 'kazoo' } });
const paths = () => pbx.sandbox.pbx.requests.list().map(({ path }) => path);
const account = (change: ICredentialDataDecryptedObject) =>
	credentialOf(pbx.sandbox, { ...kazoo, ...change });

describe('the platform Kazoo of the credential', () => {
	it('logs in with a hash instead of the password, and works below /v2', async () => {
		const scripted = await startScriptedPbx();
		const credential = await credentialOf(scripted, kazoo);
		await operate(credential, 'callflow:getMany', { returnAll: true });
		const [login, list] = scripted.requests;
		expect(login).toMatchObject({
			method: 'PUT',
			path: '/v2/user_auth',
			body: { data: { credentials: HASH, method: 'md5', realm: SANDBOX_LOGIN.realm } },
		});
		expect(JSON.stringify(login)).not.toContain(SANDBOX_LOGIN.password);
		expect(list?.path).toBe(`/v2/accounts/${ACCOUNT_ID}/callflows`);
		await scripted.close();
	});

	it.each([
		['realm', {}],
		['account name', { realm: '', accountName: 'Demo company' }],
		['account name, if the realm is wrong', { realm: 'x', accountName: 'demo company' }],
	])('finds the account by its %s, and passes the test', async (_, change) => {
		expect(await testCredential(await account(change))).toMatchObject({ status: 'OK' });
		const requests = new Set(paths().map((path) => path.replace(/[\da-f]{32}/, 'ID')));
		expect([...requests]).toEqual(['/v2/user_auth', '/v2/accounts/ID/callflows']);
	});

	it.each([
		['a wrong password', { password: 'x' }, "'Login', 'Password', and 'Realm' or 'Account Name'"],
		['no account', { realm: '' }, "'Realm or Account Name' is empty"],
		['another platform', { dialect: 'contract' }, 'says: "API version 1 is not supported'],
		['another platform', { dialect: 'contract' }, "set 'API' to 'Kazoo (/v2)'"],
	])('says what is wrong: %s', async (_, change, words) => {
		pbx.sandbox.pbx.change({ platform: 'another' });
		const { status, message } = await testCredential(await account(change));
		expect(status).toBe('Error');
		expect(message).toContain(words);
		for (const secret of [SANDBOX_LOGIN.password, HASH]) expect(message).not.toContain(secret);
	});

	it.each(['', '/', '/v2', '/v2/', '/v1'])('accepts a Base URL that ends in "%s"', async (end) => {
		const baseUrl = pbx.sandbox.url + end;
		expect(await testCredential(await account({ baseUrl }))).toMatchObject({ status: 'OK' });
	});

	it.each([
		['contract', ['Realm!', 'API Path Segment']],
		['kazoo', ['Realm', 'Account Name']],
	])('shows the fields of %s only', async (dialect, expected) => {
		const { properties } = (await account({})).type;
		const own = ['realm', 'accountName', 'platform'];
		const shown = properties
			.filter(({ name }) => own.includes(name))
			.filter((property) => NodeHelpers.displayParameter({ dialect }, property, null, null))
			.map(({ displayName, required }) => displayName + (required ? '!' : ''));
		expect(shown).toEqual(expected);
	});

	it('reads the login by account name that a real Kazoo answered', async () => {
		const { body } = recorded('login by account name');
		const pbx = await startScriptedPbx(({ path }) =>
			path === '/v2/user_auth' ? { status: 201, body } : undefined,
		);
		const login = { ...SANDBOX_LOGIN, realm: '', accountName: 'Customer Ltd', dialect: 'kazoo' };
		const { items } = await operate(await credentialOf(pbx, login), 'account:get');
		await pbx.close();
		const { accountName } = login;
		expect(items).toEqual([
			{ accountId: '{acct}', accountName, accountRealm: null, ownerId: '{n8n}', ownerRole: null },
		]);
		expect(pbx.requests[0]?.body).toMatchObject({
			data: { account_name: 'Customer Ltd', method: 'md5' },
		});
	});

	it('separates accounts that are named', () => {
		expect(loginIdOf({ ...kazoo, accountName: 'A' })).not.toBe(loginIdOf(kazoo));
	});

	it("replaces the beginning of a path in n8n's HTTP Request node, too", async () => {
		const credential = await account({});
		await operate(credential, 'callflow:getMany');
		const uri = `${pbx.sandbox.url}/v1/{platform}/accounts/{account_id}/devices`;
		expect(authenticateRequest(credential.read(), { uri }).uri).toBe(
			`${pbx.sandbox.url}/v2/accounts/${pbx.sandbox.pbx.firstAccount.id}/devices`,
		);
	});

	it("shows Kazoo's own words about a webhook with a method that it does not take", async () => {
		const webhook = { name: 'n', uri: 'http://n8n.example.com/hook', hook: 'channel_create' };
		const additionalFields = { http_verb: 'put' };
		const { error } = await pbx.run('webhook:create', { ...webhook, additionalFields });
		expect(error?.message).toContain('Method: Value not found');
		expect(error?.message).toContain('accepted: "get", "post"');
	});
});
