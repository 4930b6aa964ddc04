import { callflowId, defineOptionsCollection } from '../../parameters/options';
import { defineCollection, parameterError, UPDATE_FIELDS } from '../../parameters/parameter';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { callflowParameters, defineFlow, pivotParameters, readCallflowInput } from './parameters';

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
	parameters: [callflowId, ...flow.parameters, updateFields, defineOptionsCollection()],
	output: 'The callflow after the change',
	async execute(call) {
		const id = callflowId.read(call);
		const fields = readCallflowInput(updateFields.read(call));
		const changes = { ...fields, ...flow.read(call) };
		if (Object.values(changes).every((value) => value === undefined)) {
			throw parameterError(
				call,
				'There is nothing to update',
				"Add a field under 'Update Fields', or choose a 'Flow'.",
			);
		}
		const { callflows } = await call.pbx();
		return itemsOf([(await callflows.update(id, changes)).original]);
	},
};
