import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';
import { refusal } from './refusal';
import type { Reading } from './refusal';

/**
 * Reads the value of a JSON field: text from the editor, or an object from an expression.
 *
 * @param label the field as the node shows it
 * @throws NodeOperationError when it is no JSON object
 */
export function readJsonObject(at: Reading, value: unknown, label: string): IDataObject {
	const parsed = typeof value === 'string' ? parse(value) : value;
	if (isObject(parsed) && !(parsed instanceof Error)) return parsed;
	const fault =
		parsed instanceof Error ? `is not valid JSON: ${parsed.message}` : 'must be a JSON object';
	throw refusal(
		at,
		`${label} ${fault}`,
		`Enter an object in braces, such as {"name": "value"}, or an expression that gives one.`,
	);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		return error;
	}
}
