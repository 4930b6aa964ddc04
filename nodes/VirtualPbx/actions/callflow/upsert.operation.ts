import { defineOptionsCollection, withFilledIn } from '../../parameters/options';
import {
	ADDITIONAL_FIELDS,
	defineCollection,
	defineText,
	parameterError,
} from '../../parameters/parameter';
import type { Callflow } from '../../pbx/types';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import {
	callflowParameters,
	cleanNumber,
	defineFlow,
	pivotParameters,
	readCallflowInput,
} from './parameters';

const remedy = 'Enter the number of the callflow.';

const number = defineText({
	displayName: 'Number',
	name: 'number',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 12125550123',
	description:
		'Number of the callflow to update. If no callflow has this number, the node creates one.',
	remedy,
}).map((value, place) => {
	if (!/[,;\n]/.test(value)) return cleanNumber(value, place, 'Number');
	throw parameterError(place, "'Number' must contain exactly one phone number", remedy);
});

const { name, numbers, patterns } = callflowParameters;
const additionalFields = defineCollection(ADDITIONAL_FIELDS, [
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
		const fields = readCallflowInput(given);
		const all = fields.numbers && [...new Set([key, ...fields.numbers])];
		const { callflows } = await call.pbx();
		const changes = { ...fields, numbers: all, ...flow.read(call) };
		const ids = idsOf(await callflows.byNumber(key), key);
		if (ids.length > 1) {
			throw parameterError(
				call,
				`${ids.length} callflows have the number ${key}`,
				`Use Update with the ID of one of them: ${ids.join(', ')}`,
			);
		}
		const [id] = ids;
		const { original } =
			id === undefined
				? await callflows.create({ ...changes, numbers: all ?? [key] })
				: await callflows.update(id, changes);
		return itemsOf([{ ...original, isNew: id === undefined }]);
	},
};

/** Returns the IDs of found callflows, if possible only of those that have the number in exactly this form. */
function idsOf(found: readonly Callflow[], number: string): string[] {
	const exact = found.filter(({ numbers }) => numbers.includes(number));
	return [...new Set((exact.length > 0 ? exact : found).flatMap(({ id }) => id ?? []))];
}
