import { defineOptionsCollection } from '../../parameters/options';
import { limit } from '../../parameters/output';
import { defineCollection, defineText, EMPTY_FILTER, FILTERS } from '../../parameters/parameter';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';

const number = defineText({
	displayName: 'Number',
	name: 'number',
	type: 'string',
	default: '',
	placeholder: 'e.g. 12125550123',
	description: 'Only callflows assigned to this number',
	remedy: EMPTY_FILTER,
});
const filters = defineCollection(FILTERS, [number]);

/** GET `callflows`, optionally with `filter_numbers` (§4.2). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many callflows',
	description: 'Get the callflows of the account, or those of one number',
	kind: 'read',
	parameters: [...limit.parameters, filters, defineOptionsCollection()],
	output:
		'One item per callflow: id, name, numbers, patterns, featurecode, and other fields of the list',
	async execute(call) {
		const most = limit.read(call);
		const wanted = number.readIfAdded(filters.read(call));
		const { callflows } = await call.pbx();
		const found =
			wanted === undefined ? callflows.list({ limit: most }) : callflows.byNumber(wanted, most);
		return itemsOf((await found).map(({ original }) => original));
	},
};
