import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { CallOutput } from '../calls/call';
import { compareTexts, isObject } from '../util/json';
import { formatNumbers } from '../util/phone';
import { countVoicemail, includeDetails, optionsIn } from './options';
import type { ItemScope, ParameterGroup } from './parameter';
import {
	defineBoolean,
	defineMultiOptions,
	defineNumber,
	defineOptions,
	Parameter,
	parameterError,
} from './parameter';

/** Converts one object of the PBX for output. */
export type Shape<T> = (object: T) => IDataObject;

/** How to convert objects with Simplify on, and off. */
export interface Shapes<T> {
	toSimple: (object: T, output: CallOutput) => IDataObject;
	toRaw: Shape<T>;
}

/** Simplify, for triggers and for operations used by people. */
export const simplify = defineBoolean({
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});

const output = defineOptions({
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: 'simplified',
	description: 'Which data to return to the agent',
	options: [
		{ name: 'Raw', value: 'raw', description: 'All data, as the PBX returns it' },
		{
			name: 'Selected Fields',
			value: 'selectedFields',
			description: 'Only the fields that you choose',
		},
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'The most important fields, in a stable form',
		},
	],
	displayOptions: { show: { '@tool': [true] } },
});

const selectedFields = defineMultiOptions({
	displayName: 'Fields',
	name: 'selectedFields',
	type: 'multiOptions',
	default: [],
	description:
		'Fields to return in addition to callId. For other fields, use an expression. Use dot notation for nested fields.',
	options: [],
	displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
	isOpen: true,
});

/**
 * Defines Simplify for people, and Output for AI agents: Simplified, Raw, or Selected Fields. For operations whose
 * results have more than ten fields: an agent can select each field of the example, of its `details`, and of `raw`.
 */
export function defineOutput(
	example: IDataObject,
	raw: readonly string[] = [],
): readonly Parameter[] {
	const { details, ...top } = example;
	const known = [...Object.keys(top), ...Object.keys(isObject(details) ? details : {}), ...raw];
	const options = known.sort(compareTexts).map((name) => ({ name, value: name }));
	return [
		simplify.with({ displayOptions: { hide: { '@tool': [true] } } }),
		output,
		selectedFields.with({ options }),
	];
}

/** Reads {@link defineOutput} as the shape to apply to each object. With a country, numbers are in E.164. */
export function readShape<T>(
	at: ItemScope,
	{ toSimple, toRaw }: Shapes<T>,
	country: string | undefined,
): Shape<T> {
	const options = optionsIn(at);
	const given = {
		countVoicemail: countVoicemail.read(options),
		includeDetails: includeDetails.read(options),
	};
	const simple: Shape<T> = (object) => formatNumbers(toSimple(object, given), country);
	if (!isTool(at.context)) return simplify.read(at) ? simple : toRaw;
	const kind = output.read(at);
	if (kind === 'raw') return toRaw;
	if (kind !== 'selectedFields') return simple;
	const names = selectedFields.read(at);
	if (names.length === 0) return simple;
	const whole: Shape<T> = (object) =>
		formatNumbers(toSimple(object, { ...given, includeDetails: true }), country);
	return (object) => select(toRaw(object), whole(object), ['callId', ...names]);
}

/** How a node shows a simplified item. */
export interface Presentation {
	/** The country whose format numbers are shown in; undefined to leave them unchanged. */
	country?: string | undefined;
	includeDetails: boolean;
}

/** Returns a simplified item as the node shows it: numbers in a country's format, and `details` if requested. */
export function present(item: IDataObject, shown: Presentation): IDataObject {
	if (shown.includeDetails) return formatNumbers(item, shown.country);
	const top = { ...item };
	delete top.details;
	return formatNumbers(top, shown.country);
}

/** n8n gives a node that serves as an AI agent's tool its own type name. */
function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

function select(raw: IDataObject, simple: IDataObject, names: string[]): IDataObject {
	const details = isObject(simple.details) ? simple.details : {};
	const find = (name: string) =>
		valueAt(simple, name) ?? valueAt(details, name) ?? valueAt(raw, name);
	const found = names.map((name) => [name, find(name)] as const);
	return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as IDataObject;
}

function valueAt(object: IDataObject, name: string): unknown {
	if (Object.hasOwn(object, name)) return object[name];
	return name
		.split('.')
		.reduce<unknown>(
			(place, key) => (isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined),
			object,
		);
}

const returnAll = defineBoolean({
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
});

const most = defineNumber({
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
	isWhole: true,
	remedy: "Correct 'Limit', or turn on 'Return All'.",
});

/** Return All and Limit of list operations, read as undefined for all. */
export const limit: ParameterGroup<number | undefined> = {
	parameters: [returnAll, most],
	read: (at) => (returnAll.read(at) ? undefined : most.read(at)),
};

/** The binary field for a downloaded file. */
export const fileField = new Parameter(
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		hint: 'The name of the output binary field to put the file in',
	},
	(value, place) => {
		const name = String(value ?? '').trim();
		if (name !== '') return name;
		const hint = 'Enter the name of the binary field, for example data.';
		throw parameterError(place, "'Put Output File in Field' is empty", hint);
	},
);
