import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isOn } from '../../values/json';
import type { ItemContext } from '../../fields/inputs';
import { readText, readTextList } from '../../fields/inputs';

const NAME_HINT = 'Enter a name, or remove the field to keep the current one.';

/** Inputs of a callflow beside its flow (§2.2). */
export const callflowFields = {
	name: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Sales line',
		description: 'Name of the callflow',
	},
	numbers: {
		displayName: 'Numbers',
		name: 'numbers',
		type: 'string',
		default: '',
		placeholder: 'e.g. 74951234567, 1001',
		description:
			'Numbers that lead to this callflow, separated by commas, or an array from an expression',
	},
	patterns: {
		displayName: 'Patterns',
		name: 'patterns',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. ^7495\\d{7}$',
		description:
			'Regular expressions for numbers that lead to this callflow, one per line, or an array from an expression',
	},
	fakenumber: {
		displayName: 'Fake Number',
		name: 'fakenumber',
		type: 'boolean',
		default: false,
		description: 'Whether to set the "fakenumber" flag of the PBX. Ask your provider what it does.',
	},
} satisfies Record<string, INodeProperties>;

/** Reads the fields of a callflow that the user named; throws NodeOperationError for an empty name, number, or pattern. */
export function readCallflowValues(at: ItemContext, values: IDataObject): IDataObject {
	const result: IDataObject = {};
	if (values.name !== undefined) result.name = readText(at, values.name, 'Name', NAME_HINT);
	if (values.numbers !== undefined)
		result.numbers = readTextList(at, values.numbers, 'Numbers', /[,;\n]/);
	if (values.patterns !== undefined)
		result.patterns = readTextList(at, values.patterns, 'Patterns', /\r?\n/);
	if (values.fakenumber !== undefined) result.fakenumber = isOn(values.fakenumber);
	return result;
}
