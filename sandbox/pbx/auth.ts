import { createHash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import { notFound, ApiError } from '../server/errors';
import type { App } from '../server/types';
import { loginData } from './kazoo';
import type { Asked } from './lists';
import { kazooLoginSchema, loginSchema } from './schemas';
import { KAZOO_PREFIX } from './versions';

/** Returns the error for an unknown or expired token. */
function invalidToken({ profile }: Settings): ApiError {
	const said = profile === 'field' ? 'invalid_credentials' : undefined;
	return new ApiError(401, {}, said, said);
}

/** Checks the header `X-Auth-Token` (§5.3), and the path's account. Returns an error if one isn't valid. */
export function authenticate(pbx: Pbx, request: FastifyRequest): ApiError | undefined {
	const token = request.headers['x-auth-token'];
	if (typeof token !== 'string' || token === '') return new ApiError(401);
	const account = pbx.accounts.get(pbx.tokens.check(token) ?? '');
	if (!account) return invalidToken(pbx.settings);
	const { account_id: asked = account.id } = request.params as Partial<Asked['Params']>;
	if (asked !== account.id) return notFound(asked, 'account_id');
	request.token = token;
	request.account = account;
	return undefined;
}

/** Returns the token's account. */
export function accountOf({ account }: FastifyRequest): Account {
	if (!account) throw new ApiError(401);
	return account;
}

/** Returns the response to a login: in `data` and, partly in upper case, at the top level (§5.2). */
function loginResponse(account: Account, token: string, { profile }: Settings) {
	const said = { error_code: '0', error_message: 'success', status: 'success', auth_token: token };
	const { id, realm, name, ownerId, ownerRole } = account.identity;
	if (profile === 'kazoo') {
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

type LoginBody = Static<typeof loginSchema> | Static<typeof kazooLoginSchema>;

function plainLogin(
	pbx: Pbx,
	{ login, password, realm }: Static<typeof loginSchema>['data'],
): Account | undefined {
	const account = pbx.findLogin(realm, login);
	return account?.identity.password === password ? account : undefined;
}

/** Finds the account by its realm, or else by its name, as a stock Kazoo does, and compares hashes. */
function hashedLogin(
	pbx: Pbx,
	{ credentials, method = 'md5', ...by }: Static<typeof kazooLoginSchema>['data'],
): Account | undefined {
	const accounts = [...pbx.accounts.values()];
	const realm = by.account_realm ?? by.realm;
	const name = plainName(by.account_name ?? '');
	const account =
		accounts.find((one) => one.realm === realm) ??
		accounts.find(({ identity }) => plainName(identity.name) === name);
	const { login, password } = account?.identity ?? {};
	const hash = createHash(method === 'sha' ? 'sha1' : 'md5').update(`${login}:${password}`);
	return hash.digest('hex') === credentials ? account : undefined;
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Adds the login (§4.1, §5): a stock Kazoo's under its own address. */
export function authRoutes(app: App, pbx: Pbx): void {
	const isKazoo = app.prefix === KAZOO_PREFIX;
	const schema = { body: isKazoo ? kazooLoginSchema : loginSchema };
	app.put('/user_auth', { schema, attachValidation: true }, async (request, reply) => {
		const { validationError: incomplete } = request;
		if (incomplete) throw pbx.settings.profile === 'kazoo' ? new ApiError(401) : incomplete;
		const { data } = request.body as LoginBody;
		const account = 'credentials' in data ? hashedLogin(pbx, data) : plainLogin(pbx, data);
		if (!account) {
			const isField = pbx.settings.profile === 'field';
			throw new ApiError(401, {}, undefined, isField ? 'Incorrect password' : undefined);
		}
		request.account = account;
		return await reply
			.code(201)
			.send(loginResponse(account, pbx.tokens.issue(account), pbx.settings));
	});
}
