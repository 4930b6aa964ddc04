import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';
import { useListening } from '../support/listening';

const pbx = useListening();

test('§4.1, §5.2 a login gives a token with 201, and says who is logged in, at the top level in upper case', async () => {
	const { status, body } = await pbx.bare('PUT', '/user_auth', { data: SANDBOX_LOGIN });
	const said = {
		...{ error_code: '0', error_message: 'success', status: 'success' },
		auth_token: expect.stringMatching(/./),
	};
	const { id, realm, ownerId, ownerRole } = pbx.account.identity;
	expect(status).toBe(201);
	expect(body).toEqual({
		...said,
		...{ ACCOUNT_ID: id, ACCOUNT_REALM: realm, OWNER_ID: ownerId, OWNER_ROLE: ownerRole },
		data: {
			...said,
			...{ account_id: id, account_realm: realm, owner_id: ownerId, owner_role: ownerRole },
		},
	});
	expect(body.auth_token).toBe((body.data as typeof body).auth_token);
});

test.each([
	['§4.1 a wrong password', { data: { ...SANDBOX_LOGIN, password: 'wrong' } }, {}, 401],
	['§1 no `data` around it', SANDBOX_LOGIN, {}, 400],
	[
		'§4.1 another content type',
		JSON.stringify({ data: SANDBOX_LOGIN }),
		{ 'content-type': 'text/plain' },
		415,
	],
])('a login is refused for %s', async (_what, body, headers, status) => {
	const answer = await pbx.bare('PUT', '/user_auth', body, headers);
	expect(answer.status).toBe(status);
	expect(answer.text).not.toContain('auth_token');
});

test.each(['login', 'password', 'realm'])(
	'§4.1 a login without %s is refused with 400 that names it',
	async (field) => {
		const data = { ...SANDBOX_LOGIN, [field]: undefined };
		const answer = await pbx.bare('PUT', '/user_auth', { data });
		expect(answer.status).toBe(400);
		expect(answer.body.data).toHaveProperty([field, 'required']);
	},
);

test.each(['/callflows', '/cdrs', '/webhooks', '/webhooks/attempts'])(
	'§5.3 GET %s needs a valid X-Auth-Token, and §7 is for the account of the login only',
	async (path) => {
		const [, other] = pbx.sandbox.pbx.accounts.keys();
		const own = `/accounts/${pbx.account.id}${path}`;
		const wrong = { 'x-auth-token': 'no-such-token' };
		const answers = [
			await pbx.bare('GET', own),
			await pbx.bare('GET', own, undefined, wrong),
			await pbx.send('GET', `/accounts/${other}${path}`),
		];
		expect(answers.map(({ status }) => status)).toEqual([401, 401, 404]);
	},
);

test('§7 an unknown path is refused with 404', async () => {
	expect((await pbx.own('GET', '/no_such_thing')).status).toBe(404);
});

test('§7 a refusal says what, with data, error, message, status and request_id', async () => {
	const { status, body } = await pbx.own('GET', '/callflows/unknown');
	expect(status).toBe(404);
	expect(body).toMatchObject({
		data: { id: { not_found: { message: 'bad identifier', cause: 'unknown' } } },
		error: '404',
		message: 'bad identifier',
		status: 'error',
		request_id: expect.any(String),
	});
});
