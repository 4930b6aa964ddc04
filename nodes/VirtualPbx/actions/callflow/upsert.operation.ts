import { defineOptionsCollection } from '../../parameters/options';
import {
	ADDITIONAL_FIELDS,
	defineCollection,
	parameterError,
	withFilledIn,
} from '../../parameters/parameter';
import { defineText } from '../../parameters/types';
import { createdId } from '../../pbx/documents';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { findByNumber, preferringForm } from '../../pbx/callflows/byNumber';
import { createCallflow, newCallflow, updateCallflow } from './callflows';
import { callflowParameters, defineFlow, pivotParameters, readCallflowValues } from './parameters';

const remedy = 'Enter the number of the callflow.';

const number = defineText({
	displayName: 'Number',
	name: 'number',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 74951234567',
	description:
		'Number of the callflow to update. If no callflow has this number, the node creates one.',
	remedy,
}).map((value, place) => {
	if (!/[,;\n]/.test(value)) return value;
	throw parameterError(place, "'Number' must contain exactly one phone number", remedy);
});

const { name, numbers, patterns, fakenumber } = callflowParameters;
const additionalFields = defineCollection(ADDITIONAL_FIELDS, [
	fakenumber,
	numbers.with({
		description: `All ${numbers.property.description?.toLowerCase()}. The number above is added.`,
	}),
	patterns,
	...pivotParameters,
]);
const flow = defineFlow(additionalFields);

/** Looks up by number, then POST `callflows/{id}` or PUT `callflows` (§4.2 note 3). */
export const upsert: Operation = {
	value: 'upsert',
	name: 'Create or Update',
	action: 'Create or update callflow',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	kind: 'write',
	parameters: [number, name, ...flow.parameters, additionalFields, defineOptionsCollection()],
	output: 'The callflow after the change, and isNew',
	async execute(call) {
		const key = number.read(call);
		const given = withFilledIn(additionalFields.read(call), call, [name]);
		const values = readCallflowValues(given);
		if (Array.isArray(values.numbers))
			values.numbers = [...new Set([key, ...(values.numbers as string[])])];
		const work = await openScope(call);
		const wanted = flow.read(call);
		const found = preferringForm(await findByNumber(work, key), key);
		const ids = [...new Set(found.map((one) => createdId(one)))].filter((id) => id !== undefined);
		if (ids.length > 1) {
			throw parameterError(
				call,
				`${ids.length} callflows have the number ${key}`,
				`Use Update with the ID of one of them: ${ids.join(', ')}`,
			);
		}
		const [id] = ids;
		if (id !== undefined)
			return itemsOf([{ ...(await updateCallflow(work, id, values, wanted)), isNew: false }]);
		const document = newCallflow(call, { numbers: [key], ...values });
		return itemsOf([{ ...(await createCallflow(work, document, wanted)), isNew: true }]);
	},
};
