import { optionsField, readAccountId } from '../../fields/options';
import { WEBHOOK } from '../../transport/documents';
import { readLimit, returnAllFields } from '../../fields/output';
import { readList } from '../../transport/list';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { masked } from './webhooks';

/** GET `webhooks` (§4.4). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many webhooks',
	description: 'Get the webhooks of the account',
	kind: 'read',
	fields: [...returnAllFields, optionsField()],
	output: 'One item per webhook, with the fields that the PBX lists',
	async execute({ context, itemIndex, pbx }) {
		const limit = readLimit(context, itemIndex);
		const request = {
			path: [WEBHOOK.path],
			accountId: readAccountId(context, itemIndex),
			itemIndex,
		};
		return itemsOf((await readList(await pbx(), request, limit)).map(masked));
	},
};
