import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../parameters/inputs';
import { readFields, readParameter, readText, refusal } from '../../parameters/inputs';
import { ADDITIONAL_FIELDS, collectionField, optionsField } from '../../parameters/options';
import { createdId } from '../../pbx/documents';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { findByNumber, preferringForm } from '../../pbx/callflows/byNumber';
import { createCallflow, newCallflow, updateCallflow } from './callflows';
import {
	callflowFields,
	flowFields,
	openWithFlow,
	pivotFields,
	readCallflowValues,
} from './fields';

const NUMBER_HINT = 'Enter the number of the callflow.';

const number: INodeProperties = {
	displayName: 'Number',
	name: 'number',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 74951234567',
	description:
		'Number of the callflow to update. If no callflow has this number, the node creates one.',
};

const additionalFields = collectionField(ADDITIONAL_FIELDS, [
	callflowFields.fakenumber,
	{
		...callflowFields.numbers,
		description: `All ${callflowFields.numbers.description.toLowerCase()}. The number above is added.`,
	},
	callflowFields.patterns,
	...pivotFields,
]);

/** Looks up by number, then POST `callflows/{id}` or PUT `callflows` (§4.2 note 3). */
export const upsert: Operation = {
	value: 'upsert',
	name: 'Create or Update',
	action: 'Create or update callflow',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	kind: 'write',
	fields: [number, callflowFields.name, ...flowFields(false), additionalFields, optionsField()],
	output: 'The callflow after the change, and isNew',
	async execute(call) {
		const key = readNumber(call);
		const values = readCallflowValues(call, readFields(call, 'additionalFields', ['name']));
		if (Array.isArray(values.numbers))
			values.numbers = [...new Set([key, ...(values.numbers as string[])])];
		const { work, flow } = await openWithFlow(call, false);
		const found = preferringForm(await findByNumber(work, key), key);
		const ids = [...new Set(found.map((one) => createdId(one)))].filter((id) => id !== undefined);
		if (ids.length > 1) {
			throw refusal(
				call,
				`${ids.length} callflows have the number ${key}`,
				`Use Update with the ID of one of them: ${ids.join(', ')}`,
			);
		}
		const [id] = ids;
		if (id !== undefined)
			return itemsOf([{ ...(await updateCallflow(work, id, values, flow)), isNew: false }]);
		const document = newCallflow(call, { numbers: [key], ...values });
		return itemsOf([{ ...(await createCallflow(work, document, flow)), isNew: true }]);
	},
};

function readNumber(at: ItemContext): string {
	const value = readText(at, readParameter(at, 'number', ''), 'Number', NUMBER_HINT);
	if (!/[,;\n]/.test(value)) return value;
	throw refusal(at, 'Number must be a single number', NUMBER_HINT);
}
