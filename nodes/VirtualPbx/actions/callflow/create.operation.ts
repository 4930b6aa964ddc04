import { readFields } from '../../parameters/inputs';
import { ADDITIONAL_FIELDS, collectionField, optionsField } from '../../parameters/options';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { createCallflow, newCallflow } from './callflows';
import {
	callflowFields,
	flowFields,
	openWithFlow,
	pivotFields,
	readCallflowValues,
} from './fields';

const additionalFields = collectionField(ADDITIONAL_FIELDS, [
	callflowFields.fakenumber,
	callflowFields.patterns,
	...pivotFields,
]);

/** PUT `callflows` (§4.2). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create callflow',
	description: 'Create a callflow for numbers that no other callflow has',
	kind: 'write',
	fields: [
		callflowFields.name,
		callflowFields.numbers,
		...flowFields(false),
		additionalFields,
		optionsField(),
	],
	output: 'The new callflow with its id',
	async execute(call) {
		const named = readFields(call, 'additionalFields', ['name', 'numbers']);
		const document = newCallflow(call, readCallflowValues(call, named));
		const { work, flow } = await openWithFlow(call, false);
		return itemsOf([await createCallflow(work, document, flow)]);
	},
};
