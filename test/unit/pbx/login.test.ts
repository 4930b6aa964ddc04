import { Readable } from 'node:stream';

import { readCredential, sealToken } from '../../../nodes/VirtualPbx/pbx/credential';
import * as logins from '../../../nodes/VirtualPbx/pbx/login';
import { useClock } from '../../support/clock';

const LOGIN = { login: 'ann', password: 'secret', realm: 'r.test' };
const credential = readCredential({
	baseUrl: 'http://pbx.test',
	...LOGIN,
	webhookSecret: 'stored',
});
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Logs in at a PBX that gives numbered tokens, or refuses. */
let given = 0;
const login = async (statusCode = 201) => {
	const body = JSON.stringify({ auth_token: `own-${++given}`, account_id: 'a' });
	const send = async () => ({ statusCode, headers: {}, body: Readable.from([Buffer.from(body)]) });
	return (await logins.exchangeToken(send as never, credential)).token;
};
const clock = useClock();
beforeEach(() => {
	logins.forgetLogins();
	given = 0;
});

// Logins at the usual time are in test/contract/tokens.test.ts.
describe('a clock that is set back by a day', () => {
	it('does not keep a token from being renewed', async () => {
		await login();
		logins.forgetLogin(credential);
		await login();
		clock.pass(-DAY);
		const authToken = sealToken('own-2', credential);
		expect(logins.mayRenew({ ...credential, authToken })).toBe(true);
		expect(await login()).toBe('own-3');
	});

	it('blocks logins after a rejected one for no longer than the usual wait', async () => {
		const mayLogIn = () => logins.assertMayLogIn(credential);
		await login(401).catch(() => undefined);
		expect(mayLogIn).toThrow("doesn't accept the login");
		clock.pass(-DAY);
		expect(mayLogIn).not.toThrow();
		await expect(login(401)).rejects.toMatchObject({
			hint: expect.stringContaining('in a minute'),
		});
		clock.pass(MINUTE);
		expect(mayLogIn).not.toThrow();
	});
});
