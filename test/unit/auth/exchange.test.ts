import { readCredential } from '../../../nodes/VirtualPbx/auth/credential';
import { exchangeToken, forgetLogins } from '../../../nodes/VirtualPbx/auth/exchange';
import { sealToken } from '../../../nodes/VirtualPbx/auth/token';

const DATA = { baseUrl: 'http://pbx.test', login: 'ann', password: 'secret', realm: 'r.test' };

describe('a token that is exchanged', () => {
	let logins = 0;
	const httpRequest = async () =>
		await Promise.resolve({
			statusCode: 200,
			headers: {},
			body: { auth_token: `own-${++logins}`, account_id: 'a' },
		});

	/** The token that a caller gets whose request was refused with another. */
	async function after(refused?: string): Promise<string> {
		const credential = readCredential(DATA);
		const authToken = refused === undefined ? '' : sealToken(refused, credential);
		return (await exchangeToken(httpRequest as never, { ...credential, authToken })).token;
	}

	beforeEach(() => {
		forgetLogins();
		logins = 0;
	});

	it('comes of one login for all who were refused with the same, at once or a little later', async () => {
		expect(await Promise.all([after('old'), after('old'), after()])).toEqual(
			Array(3).fill('own-1'),
		);
		expect([await after('old'), await after()]).toEqual(['own-1', 'own-1']);
	});

	it('comes of a login where the last one was refused, and then serves those who still had that', async () => {
		await after('old');

		expect([await after('own-1'), await after('own-1')]).toEqual(['own-2', 'own-2']);
	});

	it('comes of a login where one of another process was refused: it may be newer than the own one', async () => {
		await after('old');

		expect([await after('other'), await after('other')]).toEqual(['own-2', 'own-2']);
		expect(await after('own-1')).toBe('own-2');
	});
});
