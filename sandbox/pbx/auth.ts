import { createHash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import { notFound, ApiError } from '../server/errors';
import type { App } from '../server/types';
import type { Asked } from './lists';
import { kazooLoginSchema, loginSchema } from './schemas';
import { KAZOO_PREFIX } from './versions';

/** Checks the header `X-Auth-Token` (§5.3), and the path's account. Returns an error if one isn't valid. */
export function authenticate(pbx: Pbx, request: FastifyRequest): ApiError | undefined {
	const token = request.headers['x-auth-token'];
	if (typeof token !== 'string' || token === '') return new ApiError(401);
	const account = pbx.accounts.get(pbx.tokens.get(token) ?? '');
	const said = pbx.settings.profile === 'field' ? 'invalid_credentials' : undefined;
	if (!account) return new ApiError(401, {}, said, said);
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
		const data = {
			...{ owner_id: ownerId, account_id: id, account_name: name, reseller_id: id },
			...{ ui_config: {}, apps: [], language: 'en-US', cluster_id: 'sandbox' },
			...{ is_master_account: false, is_reseller: false },
			capabilities: { voicemail: { transcription: { default: false, available: false } } },
		};
		return { data, page_size: 1, revision: 'automatic', status: 'success', auth_token: token };
	}
	const whose = { account_id: id, account_realm: realm, owner_id: ownerId, owner_role: ownerRole };
	const upper = Object.entries(whose).map(([key, value]) => [key.toUpperCase(), value] as const);
	return { data: { ...said, ...whose }, ...said, ...Object.fromEntries(upper) };
}

type LoginBody = Static<typeof loginSchema> | Static<typeof kazooLoginSchema>;

/** Finds the account of a login. A stock Kazoo looks for its realm, or else its name, and compares hashes. */
function accountFor({ accounts }: Pbx, { data }: LoginBody): Account | undefined {
	const all = [...accounts.values()];
	if (!('credentials' in data))
		return all.find(
			({ realm, identity: { login, password } }) =>
				realm === data.realm && login === data.login && password === data.password,
		);
	const name = plainName(data.account_name ?? '');
	const account =
		all.find(({ realm }) => realm === data.realm) ??
		all.find(({ identity }) => plainName(identity.name) === name);
	const { login, password } = account?.identity ?? {};
	const hash = createHash('md5').update(`${login}:${password}`).digest('hex');
	return hash === data.credentials ? account : undefined;
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Adds the login (§4.1, §5): a stock Kazoo's under its own address. */
export function authRoutes(app: App, pbx: Pbx): void {
	const isKazoo = app.prefix === KAZOO_PREFIX;
	const schema = { body: isKazoo ? kazooLoginSchema : loginSchema };
	app.put('/user_auth', { schema, attachValidation: true }, async (request, reply) => {
		const { validationError: incomplete } = request;
		if (incomplete) throw pbx.settings.profile === 'kazoo' ? new ApiError(401) : incomplete;
		const account = accountFor(pbx, request.body as LoginBody);
		const isField = pbx.settings.profile === 'field';
		if (!account)
			throw new ApiError(401, {}, undefined, isField ? 'Incorrect password' : undefined);
		request.account = account;
		return await reply
			.code(201)
			.send(loginResponse(account, pbx.tokens.issue(account), pbx.settings));
	});
}
