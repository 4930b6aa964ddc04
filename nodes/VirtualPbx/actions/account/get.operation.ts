import type { Operation } from '../operation';
import { itemsOf } from '../operation';

/** PUT `user_auth` (§5): the account that the credential belongs to. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get account',
	description: 'Get the account, realm, user, and role of the credential',
	kind: 'read',
	parameters: [],
	output: "accountId, accountRealm, ownerId, and ownerRole; null for what the PBX doesn't return",
	async execute({ pbx }) {
		const { accountId, accountRealm, ownerId, ownerRole } = await (await pbx()).account.get();
		return itemsOf([
			{
				accountId,
				accountRealm: accountRealm ?? null,
				ownerId: ownerId ?? null,
				ownerRole: ownerRole ?? null,
			},
		]);
	},
};
