import type { Operation } from '../operation';
import { itemsOf } from '../operation';

/** PUT `user_auth` (§5): the account that the credential belongs to. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description: 'Get the account, its name or realm, the user, and the role of the credential',
	kind: 'read',
	parameters: [],
	output:
		"accountId, accountName, accountRealm, ownerId, and ownerRole; null for what the PBX doesn't return",
	async execute({ pbx }) {
		const session = await (await pbx()).account.get();
		const { accountId, accountName, accountRealm, ownerId, ownerRole } = session;
		return itemsOf([
			{
				accountId,
				accountName: accountName ?? null,
				accountRealm: accountRealm ?? null,
				ownerId: ownerId ?? null,
				ownerRole: ownerRole ?? null,
			},
		]);
	},
};
