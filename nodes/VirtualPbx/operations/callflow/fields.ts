import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isOn } from '../../values/json';
import type { ItemContext } from '../../fields/inputs';
import { readText, readTextList, refusal } from '../../fields/inputs';

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

/** Reads the fields of a callflow that the user named; throws NodeOperationError for what is empty, and for a pattern that is none. */
export function readCallflowValues(at: ItemContext, values: IDataObject): IDataObject {
	const result: IDataObject = {};
	if (values.name !== undefined) result.name = readText(at, values.name, 'Name', NAME_HINT);
	if (values.numbers !== undefined)
		result.numbers = readTextList(at, values.numbers, 'Numbers', /[,;\n]/);
	if (values.patterns !== undefined) result.patterns = readPatterns(at, values.patterns);
	if (values.fakenumber !== undefined) result.fakenumber = isOn(values.fakenumber);
	return result;
}

function readPatterns(at: ItemContext, value: unknown): string[] {
	const patterns = readTextList(at, value, 'Patterns', /\r?\n/);
	for (const pattern of patterns) {
		const fault = patternFault(pattern);
		if (fault === undefined) continue;
		throw refusal(
			at,
			`Patterns: "${pattern}" is not a regular expression (${fault})`,
			'Correct the pattern. Write a star code such as *98 as \\*98, and a plus sign as \\+.',
		);
	}
	return patterns;
}

/** Forms that JavaScript lacks, or reads in another way than the PCRE of a PBX. */
const PCRE_ONLY = /\(\?(?![:=!]|<[=!])|\(\*|\\Q|\[\^?\]|[*+?}]\+|\}\{/;

/** Tells why a text cannot be a regular expression (§2.2); undefined for one that the PBX alone can judge. */
export function patternFault(pattern: string): string | undefined {
	if (pattern.trim() === '') return 'it is empty';
	if (PCRE_ONLY.test(pattern)) return undefined;
	try {
		new RegExp(pattern);
		return undefined;
	} catch (error) {
		return String((error as Error).message).replace(/^.*\/: /s, '');
	}
}
