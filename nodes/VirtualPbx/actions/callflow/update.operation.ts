import { callflowId, defineOptionsCollection } from '../../parameters/options';
import { defineCollection, parameterError, UPDATE_FIELDS } from '../../parameters/parameter';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { updateCallflow } from './callflows';
import { callflowParameters, defineFlow, pivotParameters, readCallflowValues } from './parameters';

const updateFields = defineCollection(UPDATE_FIELDS, [
	...Object.values(callflowParameters),
	...pivotParameters,
]);
const flow = defineFlow(updateFields, true);

/** GET, then POST `callflows/{id}` (§4.2). */
export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update callflow',
	description: 'Change fields of a callflow and keep all others',
	kind: 'write',
	parameters: [callflowId, updateFields, ...flow.parameters, defineOptionsCollection()],
	output: 'The callflow after the change',
	async execute(call) {
		const id = callflowId.read(call);
		const values = readCallflowValues(updateFields.read(call));
		const work = await openScope(call);
		const change = flow.read(call);
		if (Object.keys({ ...values, ...change }).length === 0) {
			throw parameterError(
				call,
				'There is nothing to update',
				"Add a field under 'Update Fields', or choose a 'Flow'.",
			);
		}
		return itemsOf([await updateCallflow(work, id, values, change)]);
	},
};
