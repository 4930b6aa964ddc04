import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isOn } from '../../values/json';
import type { ItemContext } from '../../fields/inputs';
import { readText, readTextList, refusal } from '../../fields/inputs';

const NAME_HINT = 'Enter a name, or remove the field to keep the current one.';

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
	description: 'Whether to set the "fakenumber" flag of the PBX. Ask your provider what it does.',
};

/**
 * Reads and checks the fields of a callflow that the user named; the others are left out.
 *
 * @param values what the parameters hold, by field name
 * @throws NodeOperationError for an empty name or number, and for a pattern that is surely no regular expression
 */
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

/** PCRE forms that JavaScript lacks, with a stand-in that keeps brackets and what follows them valid. */
const PCRE_FORMS: Array<[RegExp, string]> = [
	[/^\\Q.*?(?:\\E|$)/s, 'x'],
	[/^\\./s, '\\d'],
	[/^\(\?#[^)]*\)/, ''],
	[/^\(\*[A-Z_:=\d]*\)/, ''],
	[/^\(\?(?:R|[+-]?\d+|&\w+|P[>=]\w+|C\d*)\)/, '(?:)'],
	[/^\(\?(?:P?<(?![=!])\w+>|'\w+')/, '('],
	[/^\(\?\((?:[^()]*)\)/, '(?:'],
	[/^\(\?[a-zA-Z^-]+\)/, ''],
	[/^\(\?[a-zA-Z^-]*[:|>]/, '(?:'],
	[/^\(\?>/, '(?:'],
	[/^\[\^?\]/, '[x'],
	[/^([*+?]|\{\d*,?\d*\})(?:[*+?]|\{\d*,?\d*\})+/, '*'],
];

/**
 * Tells why a text cannot be a regular expression. PBXs use PCRE, which knows more than JavaScript, so only what is
 * wrong in both is refused (§2.2).
 *
 * @returns the reason in a few words; undefined when nothing is surely wrong
 */
export function patternFault(pattern: string): string | undefined {
	if (pattern.trim() === '') return 'it is empty';
	if (/\(\?[a-wyzA-Z^-]*x[a-zA-Z-]*[):]/.test(pattern)) return undefined;
	try {
		new RegExp(toJavaScript(pattern));
		return undefined;
	} catch (error) {
		return String((error as Error).message).replace(/^.*\/: /s, '');
	}
}

function toJavaScript(pattern: string): string {
	let result = '';
	let rest = pattern;
	while (rest !== '') {
		const form = PCRE_FORMS.map(([known, standIn]) => ({ match: known.exec(rest), standIn })).find(
			({ match }) => match,
		);
		const length = form?.match?.[0].length ?? 1;
		result += form ? form.standIn : rest[0];
		rest = rest.slice(length);
	}
	return result;
}
