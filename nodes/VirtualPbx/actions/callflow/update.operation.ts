import { readFields, refusal } from '../../parameters/inputs';
import {
	callflowLocator,
	collectionField,
	optionsField,
	readLocator,
	UPDATE_FIELDS,
} from '../../parameters/options';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { updateCallflow } from './callflows';
import {
	callflowFields,
	flowFields,
	openWithFlow,
	pivotFields,
	readCallflowValues,
} from './fields';

const updateFields = collectionField(UPDATE_FIELDS, [
	...Object.values(callflowFields),
	...pivotFields,
]);

/** GET, then POST `callflows/{id}` (§4.2). */
export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update callflow',
	description: 'Change fields of a callflow and keep all others',
	kind: 'write',
	fields: [callflowLocator, updateFields, ...flowFields(true), optionsField()],
	output: 'The callflow after the change',
	async execute(call) {
		const id = readLocator(call, callflowLocator);
		const values = readCallflowValues(call, readFields(call, 'updateFields'));
		const { work, flow } = await openWithFlow(call, true);
		if (Object.keys({ ...values, ...flow }).length === 0) {
			throw refusal(
				call,
				'There is nothing to update',
				'Add a field under Update Fields, or choose a Flow.',
			);
		}
		return itemsOf([await updateCallflow(work, id, values, flow)]);
	},
};
