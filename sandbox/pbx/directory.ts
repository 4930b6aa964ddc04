import type { FastifyRequest } from 'fastify';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import { ApiError } from '../server/errors';
import type { App } from '../server/types';
import { accountOf } from './auth';
import { envelope } from './envelope';
import { filtersOf, passes } from './filters';
import { cut } from './paging';
import { accountParams, anyQuery } from './schemas';

/** A stock Kazoo's lists for looking up IDs by name, by path. */
const LISTS: Record<string, (account: Account) => object[]> = {
	vmboxes: (account) =>
		account
			.users()
			.filter(({ mailbox }) => mailbox)
			.map((user) => ({
				id: account.mailboxId(user),
				name: `${user.name}'s mailbox`,
				mailbox: user.extension,
				owner_id: user.id,
			})),
	media: (account) =>
		[...account.sounds.keys()].map((name) => ({
			id: account.soundId(name),
			name,
			is_prompt: false,
		})),
};

/** Adds a stock Kazoo's lists beyond the contract that routing answers need. */
export function directoryRoutes(app: App, pbx: Pbx): void {
	const schema = { params: accountParams, querystring: anyQuery };
	for (const [name, list] of Object.entries(LISTS)) {
		app.get(`/accounts/:account_id/${name}`, { schema }, async (request) => {
			if (pbx.settings.profile !== 'kazoo') throw new ApiError(404);
			const account = accountOf(request as FastifyRequest, request.params.account_id);
			const filters = filtersOf(request.query);
			const found = list(account).filter((one) => passes(one, filters));
			const { items, notes } = cut(found, request.query, pbx.settings);
			return { ...envelope(request, items, 1), ...notes };
		});
	}
}
