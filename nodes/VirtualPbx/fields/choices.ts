import type { IDataObject, INode, INodeProperties } from 'n8n-workflow';

import { isObject } from '../values/json';
import { listOf, settingError } from './inputs';

/** Lists to which an expression may give other values: of some fields the contract leaves the values open (§2.2, §6). */
const OPEN_LISTS = [
	'hangupCauses',
	'http_verb',
	'requestMethod',
	'selectedFields',
	'serviceMethod',
];

/** A value that is no choice of its field, in words for the user. */
interface WrongChoice {
	message: string;
	description: string;
}

const WITH_CHOICES = ['options', 'multiOptions', 'collection', 'fixedCollection'];

/**
 * Finds a value that is no choice of its field, also within collections; fields that the values of others hide are left out.
 * `read` gives the value of a field, undefined where it is not set.
 */
export function findWrongChoice(
	fields: readonly INodeProperties[],
	read: (field: INodeProperties) => unknown,
): WrongChoice | undefined {
	const isShown = ({ displayOptions }: INodeProperties) =>
		Object.entries(displayOptions?.show ?? {}).every(([name, values = []]) => {
			const beside = fields.find((field) => field.name === name);
			return !beside || (values as unknown[]).includes(read(beside) ?? beside.default);
		});
	for (const field of fields) {
		if (!WITH_CHOICES.includes(field.type) || !isShown(field)) continue;
		const wrong = wrongIn(field, read(field));
		if (wrong) return wrong;
	}
	return undefined;
}

/** Refuses a trigger with a value that is no choice of its field: throws NodeOperationError that names field and choices. */
export function refuseWrongChoice(
	context: { getNode(): INode },
	fields: readonly INodeProperties[],
	values: IDataObject,
): void {
	const wrong = findWrongChoice(fields, ({ name }) => values[name]);
	if (wrong) throw settingError(context, wrong.message, wrong.description);
}

function wrongIn(field: INodeProperties, value: unknown): WrongChoice | undefined {
	const { type, options = [], name } = field;
	const isUnset = value === undefined || (field.required === true && value === '');
	if (isUnset || OPEN_LISTS.includes(name)) return undefined;
	if (type === 'options' || type === 'multiOptions') return wrongChoice(field, value);
	const inner = options.flatMap((option) => ('values' in option ? option.values : [option]));
	const rows: unknown[] = type === 'collection' ? [value] : Object.values(value ?? {}).flat();
	const found = rows.filter(isObject).map((row) => {
		return findWrongChoice(inner as INodeProperties[], (one) => row[one.name]);
	});
	return found.find((wrong) => wrong !== undefined);
}

/** Of a field with choices. */
function wrongChoice(field: INodeProperties, value: unknown): WrongChoice | undefined {
	const { type, options = [], displayName } = field;
	const choices = options.flatMap((option) => ('value' in option ? [option.value] : []));
	const given: unknown[] = type === 'multiOptions' ? listOf(value) : [value];
	const wrong = given.find((one) => !choices.includes(one as string));
	if (choices.length === 0 || wrong === undefined) return undefined;
	return {
		message: `${displayName}: "${asWritten(wrong)}" is not a choice`,
		description: `Use ${type === 'options' ? 'one' : 'one or more'} of ${choices.join(', ')}.`,
	};
}

function asWritten(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

/** The expression for a node's subtitle on the canvas: the names, by value, of what an expression gives as chosen. */
export function subtitleOf(names: Readonly<Record<string, string>>, chosen: string): string {
	return `={{ [${chosen}].flat().map((one) => (${JSON.stringify(names)})[one] ?? one).join(", ") }}`;
}
