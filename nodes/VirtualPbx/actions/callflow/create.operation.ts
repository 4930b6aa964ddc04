import { defineOptionsCollection, withFilledIn } from '../../parameters/options';
import { ADDITIONAL_FIELDS, defineCollection } from '../../parameters/parameter';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import {
	assertIsReachable,
	callflowParameters,
	defineFlow,
	pivotParameters,
	readCallflowInput,
} from './parameters';

const { name, numbers, patterns } = callflowParameters;
const additionalFields = defineCollection(ADDITIONAL_FIELDS, [patterns, ...pivotParameters]);
const flow = defineFlow(additionalFields);

/** PUT `callflows` (§4.2). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create callflow',
	description: 'Create a callflow for numbers that no other callflow has',
	kind: 'write',
	parameters: [name, numbers, ...flow.parameters, additionalFields, defineOptionsCollection()],
	output: 'The new callflow with its id',
	async execute(call) {
		const given = withFilledIn(additionalFields.read(call), call, [name, numbers]);
		const callflow = readCallflowInput(given);
		assertIsReachable(call, callflow);
		const { callflows } = await call.pbx();
		const { original } = await callflows.create({ ...callflow, ...flow.read(call) });
		return itemsOf([original]);
	},
};
