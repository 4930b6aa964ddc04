import { readFields, readFilter } from '../../parameters/inputs';
import { collectionField, FILTERS, optionsField } from '../../parameters/options';
import { readLimit, returnAllFields } from '../../parameters/output';
import { callflowsOf } from '../../pbx/callflows/callflows';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';

const filters = collectionField(FILTERS, [
	{
		displayName: 'Number',
		name: 'number',
		type: 'string',
		default: '',
		placeholder: 'e.g. 74951234567',
		description: 'Only callflows assigned to this number',
	},
]);

/** GET `callflows`, optionally with `filter_numbers` (§4.2). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many callflows',
	description: 'Get the callflows of the account, or those of one number',
	kind: 'read',
	fields: [...returnAllFields, filters, optionsField()],
	output:
		'One item per callflow: id, name, numbers, patterns, featurecode, and other fields of the list',
	async execute(call) {
		const limit = readLimit(call);
		const number = readFilter(call, readFields(call, 'filters'), 'number', 'Number');
		const callflows = callflowsOf(await openScope(call));
		const found = number === undefined ? callflows.list(limit) : callflows.byNumber(number, limit);
		return itemsOf((await found).map(({ original }) => original));
	},
};
