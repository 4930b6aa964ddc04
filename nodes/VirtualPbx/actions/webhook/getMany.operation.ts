import { optionsField } from '../../parameters/options';
import { readLimit, returnAllFields } from '../../parameters/output';
import { webhooksOf } from '../../pbx/webhooks/webhooks';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { masked } from './fields';

/** GET `webhooks` (§4.4). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many webhooks',
	description: 'Get the webhooks of the account',
	kind: 'read',
	fields: [...returnAllFields, optionsField()],
	output: 'One item per webhook, with the fields that the PBX lists',
	async execute(call) {
		const limit = readLimit(call);
		const listed = await webhooksOf(await openScope(call)).list(limit);
		return itemsOf(listed.map(({ original }) => masked(original)));
	},
};
