import { Readable } from 'node:stream';

import { readCredential, sealToken } from '../../../nodes/VirtualPbx/pbx/credential';
import {
	assertMayLogIn,
	exchangeToken,
	forgetLogin,
	forgetLogins,
	mayRenew,
} from '../../../nodes/VirtualPbx/pbx/login';
import { useClock } from '../../support/clock';

const LOGIN = { login: 'ann', password: 'secret', realm: 'r.test' };
const DATA = { baseUrl: 'http://pbx.test', ...LOGIN, webhookSecret: 'stored' };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let logins = 0;
let statusCode = 201;
const send = async () =>
	await Promise.resolve({
		statusCode,
		headers: {},
		body: Readable.from([
			Buffer.from(JSON.stringify({ auth_token: `own-${++logins}`, account_id: 'a' })),
		]),
	});
const credential = readCredential(DATA);
const withToken = (bare: string) => ({
	...credential,
	authToken: sealToken(bare, credential),
});
const token = async () => (await exchangeToken(send as never, credential)).token;
const clock = useClock();
beforeEach(() => {
	forgetLogins();
	logins = 0;
	statusCode = 201;
});

describe('a login', () => {
	it('serves all callers for a minute', async () => {
		expect(await Promise.all([token(), token()])).toEqual(['own-1', 'own-1']);
		clock.pass(MINUTE - 1000);
		expect(await token()).toBe('own-1');
		clock.pass(1000);
		expect(await token()).toBe('own-2');
	});

	it('follows a rejected token, but not one that has just replaced another', async () => {
		await token();
		expect(mayRenew(withToken('other'))).toBe(true);
		expect(await token()).toBe('own-1');
		expect(mayRenew(withToken('own-1'))).toBe(true);
		expect(await token()).toBe('own-2');
		expect(mayRenew(withToken('own-1'))).toBe(true);
		expect(mayRenew(withToken('own-2'))).toBe(false);
		expect(await token()).toBe('own-2');
		clock.pass(MINUTE);
		expect(mayRenew(withToken('own-2'))).toBe(true);
	});

	it('is new after the credential test has forgotten it', async () => {
		await token();
		forgetLogin(credential);
		expect(await token()).toBe('own-2');
	});

	it('is new after one that failed, which all who waited are told', async () => {
		statusCode = 503;
		const failed = await Promise.allSettled([token(), token()]);
		expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		expect(logins).toBe(1);
		statusCode = 201;
		expect(await token()).toBe('own-2');
	});
});

describe('a clock that is set back by a day', () => {
	it('does not keep a token from being renewed', async () => {
		await token();
		forgetLogin(credential);
		await token();
		clock.pass(-DAY);
		expect(mayRenew(withToken('own-2'))).toBe(true);
		expect(await token()).toBe('own-3');
	});

	it('blocks logins after a rejected one for no longer than the usual wait', async () => {
		statusCode = 401;
		await token().catch(() => undefined);
		expect(() => assertMayLogIn(credential)).toThrow("doesn't accept the login");
		clock.pass(-DAY);
		expect(() => assertMayLogIn(credential)).not.toThrow();
		await expect(token()).rejects.toMatchObject({ hint: expect.stringContaining('in a minute') });
		clock.pass(MINUTE);
		expect(() => assertMayLogIn(credential)).not.toThrow();
	});
});
