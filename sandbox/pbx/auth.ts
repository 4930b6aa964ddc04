import type { FastifyRequest } from 'fastify';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import { Refusal } from '../server/errors';
import type { App } from '../server/types';
import { loginSchema } from './schemas';

/** Checks the header `X-Auth-Token` (§5.3); gives a refusal with 401 when it is not good. */
export function authenticate(pbx: Pbx, request: FastifyRequest): Refusal | undefined {
	const token = request.headers['x-auth-token'];
	if (typeof token !== 'string' || token === '') return new Refusal(401);
	if (request.faults?.some(({ kind }) => kind === 'expire-token')) pbx.tokens.revoke(token);
	const account = pbx.tokens.check(token, pbx.settings.token_lifetime_seconds);
	if (!account) return new Refusal(401);
	request.token = token;
	request.account = account;
	return undefined;
}

/**
 * Gives the account of a request.
 * Throws 404 when the path names another one than the token's: it is unknown to this login.
 */
export function accountOf(request: FastifyRequest, accountId?: string): Account {
	const { account } = request;
	if (!account) throw new Refusal(401);
	if (accountId !== undefined && accountId !== account.id) {
		throw new Refusal(404, {
			account_id: { not_found: { message: 'bad identifier', cause: accountId } },
		});
	}
	return account;
}

/** Gives the answer to a login: in `data` and at the top level, there partly in upper case (§5.2). */
function loginAnswer(account: Account, token: string) {
	const said = { error_code: '0', error_message: 'success', status: 'success', auth_token: token };
	const { id, realm, ownerId, ownerRole } = account.identity;
	return {
		data: {
			...said,
			account_id: id,
			account_realm: realm,
			owner_id: ownerId,
			owner_role: ownerRole,
		},
		...said,
		ACCOUNT_ID: id,
		ACCOUNT_REALM: realm,
		OWNER_ID: ownerId,
		OWNER_ROLE: ownerRole,
	};
}

/** Adds the login (§4.1, §5). */
export function authRoutes(app: App, pbx: Pbx): void {
	app.put('/user_auth', { schema: { body: loginSchema } }, async (request, reply) => {
		const { login, password, realm } = request.body.data;
		const account = pbx.findLogin(realm, login);
		if (!account || account.identity.password !== password) throw new Refusal(401);
		request.account = account;
		return await reply.code(201).send(loginAnswer(account, pbx.tokens.issue(account)));
	});
}
