import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { patternFault } from '../values/pattern';
import { refusal } from './refusal';
import type { Reading } from './refusal';
import { readText } from './text';
import { readTextList } from './textList';

const NAME_HINT = 'Enter a name, or remove the field to leave it as it is.';

/** Inputs of a callflow beside its flow (§2.2). */
export const callflowName: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
	placeholder: 'e.g. Sales line',
	description: 'Name of the callflow',
};

export const callflowNumbers: INodeProperties = {
	displayName: 'Numbers',
	name: 'numbers',
	type: 'string',
	default: '',
	placeholder: 'e.g. 74951234567, 1001',
	description:
		'Numbers that lead to this callflow, separated by commas, or an array from an expression',
};

export const callflowPatterns: INodeProperties = {
	displayName: 'Patterns',
	name: 'patterns',
	type: 'string',
	typeOptions: { rows: 2 },
	default: '',
	placeholder: 'e.g. ^7495\\d{7}$',
	description:
		'Regular expressions for numbers that lead to this callflow, one per line, or an array from an expression',
};

export const callflowFakeNumber: INodeProperties = {
	displayName: 'Fake Number',
	name: 'fakenumber',
	type: 'boolean',
	default: false,
	description: 'Whether to set the mark "fakenumber" of the PBX. Ask your provider what it does.',
};

/**
 * Reads and checks the fields of a callflow that the user named; the others are left out.
 *
 * @param values what the parameters hold, by field name
 * @throws NodeOperationError for an empty name or number, and for a pattern that is surely no regular expression
 */
export function readCallflowValues(at: Reading, values: IDataObject): IDataObject {
	const result: IDataObject = {};
	if (values.name !== undefined) result.name = readText(at, values.name, 'Name', NAME_HINT);
	if (values.numbers !== undefined)
		result.numbers = readTextList(at, values.numbers, 'Numbers', /[,;\n]/);
	if (values.patterns !== undefined) result.patterns = readPatterns(at, values.patterns);
	if (values.fakenumber !== undefined)
		result.fakenumber = [true, 'true', 1, '1'].includes(values.fakenumber as string);
	return result;
}

function readPatterns(at: Reading, value: unknown): string[] {
	const patterns = readTextList(at, value, 'Patterns', /\r?\n/);
	for (const pattern of patterns) {
		const fault = patternFault(pattern);
		if (fault === undefined) continue;
		throw refusal(
			at,
			`Patterns: "${pattern}" is not a regular expression (${fault})`,
			'Correct the pattern. A star code such as *98 is written \\*98, and a plus sign \\+.',
		);
	}
	return patterns;
}
