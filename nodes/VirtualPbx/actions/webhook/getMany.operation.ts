import { optionsField } from '../../parameters/options';
import { readLimit, returnAllFields } from '../../parameters/output';
import { readList, scopeOf, WEBHOOK } from '../../pbx/documents';
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
		const work = await openScope(call);
		const listed = await readList(work.pbx, { path: [WEBHOOK.path], ...scopeOf(work) }, limit);
		return itemsOf(listed.map(masked));
	},
};
