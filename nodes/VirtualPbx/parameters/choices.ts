import type { INodeProperties } from 'n8n-workflow';

import { isObject } from '../util/json';
import type { Parameter, Place, Scope } from './parameter';
import { parameterError } from './parameter';
import { listOf } from './types';

const WITH_CHOICES = ['options', 'multiOptions', 'collection', 'fixedCollection'];

type Checked = Pick<Parameter, 'property'> & Partial<Pick<Parameter, 'choices'>>;

/**
 * Throws NodeOperationError, listing the choices, if a parameter's value isn't one of them. Includes collections; skips
 * parameters that others hide.
 */
export function assertChoices(scope: Scope, parameters: readonly Checked[]): void {
	assertEach(scope, parameters, ({ name, default: byDefault }) => scope.get(name, byDefault));
}

/** Checks the parameters that are shown. `read` returns undefined for an unset one. */
function assertEach(
	place: Place,
	parameters: readonly Checked[],
	read: (property: INodeProperties) => unknown,
): void {
	const isShown = ({ displayOptions }: INodeProperties) =>
		Object.entries(displayOptions?.show ?? {}).every(([name, values = []]) => {
			const beside = parameters.find(({ property }) => property.name === name)?.property;
			return !beside || (values as unknown[]).includes(read(beside) ?? beside.default);
		});
	for (const parameter of parameters) {
		const { property } = parameter;
		if (WITH_CHOICES.includes(property.type) && isShown(property))
			assertValue(place, parameter, read(property));
	}
}

function assertValue(place: Place, { property, choices }: Checked, value: unknown): void {
	const { type, options = [] } = property;
	const isUnset = value === undefined || (property.required === true && value === '');
	if (isUnset || choices?.isOpen) return;
	if (type === 'options' || type === 'multiOptions') return assertChoice(place, property, value);
	const rows = rowsOf(type, value);
	const members = choices?.members ?? membersIn(options);
	for (const row of rows.filter(isObject)) assertEach(place, members, ({ name }) => row[name]);
}

function rowsOf(type: INodeProperties['type'], value: unknown): unknown[] {
	return type === 'collection' ? [value] : Object.values(value ?? {}).flat();
}

/** Returns the parameters in a collection, or in the rows of a fixed collection. */
function membersIn(options: NonNullable<INodeProperties['options']>): Checked[] {
	const inner = options.flatMap((option) => ('values' in option ? option.values : [option]));
	return inner.map((member) => ({ property: member as INodeProperties }));
}

function assertChoice(place: Place, property: INodeProperties, value: unknown): void {
	const { type, options = [], displayName } = property;
	const choices = options.flatMap((option) => ('value' in option ? [option.value] : []));
	const given: unknown[] = type === 'multiOptions' ? listOf(value) : [value];
	const wrong = given.find((one) => !choices.includes(one as string));
	if (choices.length === 0 || wrong === undefined) return;
	throw parameterError(
		place,
		`"${asWritten(wrong)}" isn't a valid value for '${displayName}'`,
		`Use ${type === 'options' ? 'one' : 'one or more'} of ${choices.join(', ')}.`,
	);
}

function asWritten(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

/**
 * Returns the expression for a node's subtitle on the canvas: the display names of the values that an expression
 * returns.
 */
export function subtitleOf(names: Readonly<Record<string, string>>, chosen: string): string {
	return `={{ [${chosen}].flat().map((one) => (${JSON.stringify(names)})[one] ?? one).join(", ") }}`;
}
