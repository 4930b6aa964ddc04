import type { Operation } from '../contract';
import { itemsOf } from '../contract';

/** PUT `user_auth` (§5): who the credential belongs to. */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get account of credential',
	description: 'Get the account, realm, user, and role of the credential',
	kind: 'read',
	fields: [],
	output: 'account_id and, if the PBX returns them, account_realm, owner_id, and owner_role',
	async execute({ pbx }) {
		const { accountId, accountRealm, ownerId, ownerRole } = await (await pbx()).login();
		return itemsOf([
			{
				account_id: accountId,
				...(accountRealm === undefined ? {} : { account_realm: accountRealm }),
				...(ownerId === undefined ? {} : { owner_id: ownerId }),
				...(ownerRole === undefined ? {} : { owner_role: ownerRole }),
			},
		]);
	},
};
