import { Readable } from 'node:stream';

import { readCredential, sealToken } from '../../../nodes/VirtualPbx/pbx/credential';
import {
	assertMayLogIn,
	exchangeToken,
	forgetLogin,
	forgetLogins,
	hasFreshToken,
} from '../../../nodes/VirtualPbx/pbx/login';
import { useClock } from '../../support/clock';

const DATA = { baseUrl: 'http://pbx.test', login: 'ann', password: 'secret', realm: 'r.test' };
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
const token = async () => (await exchangeToken(send as never, credential)).token;
const clock = useClock();
beforeEach(() => {
	forgetLogins();
	logins = 0;
	statusCode = 201;
});

describe('a login', () => {
	it('serves all callers for a minute, after which the token can be renewed', async () => {
		expect(await Promise.all([token(), token()])).toEqual(['own-1', 'own-1']);
		const own = { ...credential, authToken: sealToken('own-1', credential) };
		const other = { ...credential, authToken: sealToken('other', credential) };
		expect([hasFreshToken(own), hasFreshToken(other)]).toEqual([true, false]);
		clock.pass(MINUTE - 1000);
		expect(await token()).toBe('own-1');
		clock.pass(1000);
		expect(hasFreshToken(own)).toBe(false);
		expect(await token()).toBe('own-2');
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
		clock.pass(-DAY);
		const own = { ...credential, authToken: sealToken('own-1', credential) };
		expect(hasFreshToken(own)).toBe(false);
		expect(await token()).toBe('own-2');
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
