import { Readable } from 'node:stream';

import { readCredential, sealToken } from '../../../../nodes/VirtualPbx/pbx/session/credential';
import {
	exchangeToken,
	forgetLogin,
	forgetLogins,
} from '../../../../nodes/VirtualPbx/pbx/session/login';

const DATA = { baseUrl: 'http://pbx.test', login: 'ann', password: 'secret', realm: 'r.test' };

describe('a token that is exchanged', () => {
	let logins = 0;
	let statusCode = 201;
	const send = async () =>
		await Promise.resolve({
			statusCode,
			headers: {},
			body: Readable.from([JSON.stringify({ auth_token: `own-${++logins}`, account_id: 'a' })]),
		});

	/** The token that a caller gets whose request was refused with another. */
	async function after(refused?: string): Promise<string> {
		const credential = readCredential(DATA);
		const authToken = refused === undefined ? '' : sealToken(refused, credential);
		return (await exchangeToken(send as never, { ...credential, authToken })).token;
	}

	beforeEach(() => {
		forgetLogins();
		logins = 0;
		statusCode = 201;
	});
	afterEach(() => void jest.restoreAllMocks());

	it('comes of a login where the last one was refused, and then serves those who still had that', async () => {
		await after('old');

		expect([await after('own-1'), await after('own-1')]).toEqual(['own-2', 'own-2']);
	});

	it('serves nobody any more once it is refused, or asked for after a request that began later', async () => {
		const credential = readCredential(DATA);
		const before = Date.now();
		const authToken = sealToken(await after(), credential);
		forgetLogin(credential, before);
		expect(await after()).toBe('own-1');
		forgetLogin({ ...credential, authToken });
		expect(await after()).toBe('own-2');
		forgetLogin(credential, Date.now() + 1);
		expect(await after()).toBe('own-3');
	});

	it('comes of a login of its own after a minute: the password may have changed at the PBX', async () => {
		await after();
		const later = Date.now() + 61_000;
		jest.spyOn(Date, 'now').mockReturnValue(later);
		expect(await after()).toBe('own-2');
	});

	it('comes of a new login after one that failed, which is told to all who waited', async () => {
		statusCode = 503;
		const failed = await Promise.allSettled([after(), after()]);
		expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		expect(logins).toBe(1);
		statusCode = 201;
		expect(await after()).toBe('own-2');
	});
});
