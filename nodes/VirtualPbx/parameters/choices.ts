import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isObject } from '../util/json';
import type { Place } from './inputs';
import { listOf, refusal } from './inputs';

/** Lists to which an expression may give other values: of some fields the contract leaves the values open (§2.2, §6). */
const OPEN_LISTS = [
	'hangupCauses',
	'http_verb',
	'requestMethod',
	'selectedFields',
	'serviceMethod',
];

const WITH_CHOICES = ['options', 'multiOptions', 'collection', 'fixedCollection'];

/**
 * Refuses a value that is no choice of its field, also within collections, but for fields that the values of others hide.
 * `read` gives the value of a field, undefined where it is not set. Throws NodeOperationError that names the choices.
 */
export function checkChoices(
	place: Place,
	fields: readonly INodeProperties[],
	read: (field: INodeProperties) => unknown,
): void {
	const isShown = ({ displayOptions }: INodeProperties) =>
		Object.entries(displayOptions?.show ?? {}).every(([name, values = []]) => {
			const beside = fields.find((field) => field.name === name);
			return !beside || (values as unknown[]).includes(read(beside) ?? beside.default);
		});
	for (const field of fields)
		if (WITH_CHOICES.includes(field.type) && isShown(field)) checkField(place, field, read(field));
}

/** Refuses a trigger with a value that is no choice of its field, as {@link checkChoices} does. */
export function refuseWrongChoice(
	context: Place['context'],
	fields: readonly INodeProperties[],
	values: IDataObject,
): void {
	checkChoices({ context }, fields, ({ name }) => values[name]);
}

function checkField(place: Place, field: INodeProperties, value: unknown): void {
	const { type, options = [], name } = field;
	const isUnset = value === undefined || (field.required === true && value === '');
	if (isUnset || OPEN_LISTS.includes(name)) return;
	if (type === 'options' || type === 'multiOptions') return checkChoice(place, field, value);
	const inner = options.flatMap((option) => ('values' in option ? option.values : [option]));
	const rows: unknown[] = type === 'collection' ? [value] : Object.values(value ?? {}).flat();
	for (const row of rows.filter(isObject))
		checkChoices(place, inner as INodeProperties[], (one) => row[one.name]);
}

function checkChoice(place: Place, field: INodeProperties, value: unknown): void {
	const { type, options = [], displayName } = field;
	const choices = options.flatMap((option) => ('value' in option ? [option.value] : []));
	const given: unknown[] = type === 'multiOptions' ? listOf(value) : [value];
	const wrong = given.find((one) => !choices.includes(one as string));
	if (choices.length === 0 || wrong === undefined) return;
	throw refusal(
		place,
		`${displayName}: "${asWritten(wrong)}" is not a choice`,
		`Use ${type === 'options' ? 'one' : 'one or more'} of ${choices.join(', ')}.`,
	);
}

function asWritten(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

/** The expression for a node's subtitle on the canvas: the names, by value, of what an expression gives as chosen. */
export function subtitleOf(names: Readonly<Record<string, string>>, chosen: string): string {
	return `={{ [${chosen}].flat().map((one) => (${JSON.stringify(names)})[one] ?? one).join(", ") }}`;
}
