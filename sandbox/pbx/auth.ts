import type { FastifyRequest } from 'fastify';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import { notFound, Refusal } from '../server/errors';
import type { App } from '../server/types';
import { loginData } from './kazoo';
import { loginSchema } from './schemas';

/** Returns the error for a token that is unknown or has ended. */
function endedToken({ error_body: body }: Settings): Refusal {
	const said = body === 'full' ? 'invalid_credentials' : undefined;
	return new Refusal(401, {}, said, said);
}

/** Checks the header `X-Auth-Token` (§5.3). Returns an error if it isn't valid. */
export function authenticate(pbx: Pbx, request: FastifyRequest): Refusal | undefined {
	const token = request.headers['x-auth-token'];
	if (typeof token !== 'string' || token === '') return new Refusal(401);
	if (request.faults?.some(({ kind }) => kind === 'expire-token')) pbx.tokens.revoke(token);
	const account = pbx.tokens.check(token);
	if (!account) return endedToken(pbx.settings);
	request.token = token;
	request.account = account;
	return undefined;
}

/**
 * Returns the account of a request: the token's own. Throws 404 if the path names another one, which
 * this login doesn't know.
 */
export function accountOf(request: FastifyRequest, accountId?: string): Account {
	const { account: own } = request;
	if (!own) throw new Refusal(401);
	if (accountId === undefined || accountId === own.id) return own;
	throw notFound(accountId, 'account_id');
}

/** Returns the response to a login: in `data` and at the top level, there partly in upper case (§5.2). */
function loginAnswer(account: Account, token: string, { answers }: Settings) {
	const said = { error_code: '0', error_message: 'success', status: 'success', auth_token: token };
	const { id, realm, name, ownerId, ownerRole } = account.identity;
	if (answers === 'kazoo') {
		const outer = { page_size: 1, revision: 'automatic', status: 'success', auth_token: token };
		return { data: loginData(id, ownerId, name), ...outer };
	}
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
	const schema = { body: loginSchema };
	app.put('/user_auth', { schema, attachValidation: true }, async (request, reply) => {
		const { validationError: incomplete } = request;
		if (incomplete) throw pbx.settings.answers === 'kazoo' ? new Refusal(401) : incomplete;
		const { login, password, realm } = request.body.data;
		const account = pbx.findLogin(realm, login);
		if (!account || account.identity.password !== password) {
			const isFull = pbx.settings.error_body === 'full';
			throw new Refusal(401, {}, undefined, isFull ? 'Incorrect password' : undefined);
		}
		request.account = account;
		return await reply
			.code(201)
			.send(loginAnswer(account, pbx.tokens.issue(account), pbx.settings));
	});
}
