import { changing, readOnly, useSubject } from '../support/contract';

const pbx = useSubject();

readOnly(
	'§4.1, §5.2 a login gives a token with 201, and says who is logged in, at the top level in upper case',
	() => {
		const { status, body } = pbx.login;
		const said = { error_code: '0', error_message: expect.any(String), status: 'success' };
		const { auth_token, account_id, account_realm, owner_id, owner_role } = body.data as Record<
			string,
			string
		>;
		expect([status, body.data]).toMatchObject([201, said]);
		expect(body).toMatchObject({
			...said,
			auth_token,
			ACCOUNT_ID: account_id,
			ACCOUNT_REALM: account_realm,
			OWNER_ID: owner_id,
			OWNER_ROLE: owner_role,
		});
		const told = [auth_token, account_id, account_realm, owner_id, owner_role];
		expect(told).toEqual(told.map(() => expect.stringMatching(/./)));
	},
);

readOnly('§4.1 a wrong password is refused with 401', async () => {
	const data = { ...pbx.credentials, password: 'wrong' };
	const { status, body } = await pbx.bare('PUT', '/user_auth', { data });
	expect(status).toBe(401);
	expect(body).not.toHaveProperty('auth_token');
});

readOnly('§1 a login without `data` around it is refused with 400', async () => {
	expect((await pbx.bare('PUT', '/user_auth', pbx.credentials)).status).toBe(400);
});

readOnly('§4.1 a login of another content type is refused with 415', async () => {
	const text = JSON.stringify({ data: pbx.credentials });
	const { status } = await pbx.bare('PUT', '/user_auth', text, { 'content-type': 'text/plain' });
	expect(status).toBe(415);
});

changing.each(['login', 'password', 'realm'])(
	'§4.1 a login without %s is refused with 400 that names it',
	async (field) => {
		const data: Record<string, string> = { ...pbx.credentials };
		delete data[field];
		const answer = await pbx.bare('PUT', '/user_auth', { data });
		expect(answer.status).toBe(400);
		expect(answer.body.data).toHaveProperty([field, 'required']);
	},
);

readOnly.each(['/callflows', '/cdrs', '/webhooks', '/webhooks/attempts'])(
	'§5.3 GET %s needs X-Auth-Token: without or with a wrong one it is refused with 401',
	async (path) => {
		expect((await pbx.bare('GET', pbx.account + path)).status).toBe(401);
		const wrong = { 'x-auth-token': 'no-such-token' };
		expect((await pbx.bare('GET', pbx.account + path, undefined, wrong)).status).toBe(401);
	},
);
