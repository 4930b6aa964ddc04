import { defineOptionsCollection } from '../../parameters/options';
import { limit } from '../../parameters/output';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { masked } from './parameters';

/** GET `webhooks` (§4.4). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many webhooks',
	description: 'Get the webhooks of the account',
	kind: 'read',
	parameters: [...limit.parameters, defineOptionsCollection()],
	output: 'One item per webhook, with the fields that the PBX lists',
	async execute(call) {
		const most = limit.read(call);
		const listed = await (await call.pbx()).webhooks.list({ limit: most });
		return itemsOf(listed.map(({ original }) => masked(original)));
	},
};
