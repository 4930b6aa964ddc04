import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { compareTexts, isObject, isOn } from '../util/json';
import { inCountry } from '../util/phone/forms';
import type { ItemContext, Place } from './inputs';
import { listOf, readNumber, readParameter, refusal } from './inputs';
import { readOption } from './options';

/** Turns one object of the PBX into what the user wants to see. */
export type Shape = (object: IDataObject) => IDataObject;

/** Simplify, for triggers and for people who use operations. */
export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/**
 * Simplify for people, and for AI agents Output: Simplified, Raw or Selected Fields. For operations whose results have
 * more than ten fields: an agent can be given each field of the example, of its `details`, and of `raw`.
 */
export function outputFields(example: IDataObject, raw: readonly string[] = []): INodeProperties[] {
	const { details, ...top } = example;
	const known = [...Object.keys(top), ...Object.keys(isObject(details) ? details : {}), ...raw];
	return [
		{ ...simplifyField, displayOptions: { hide: { '@tool': [true] } } },
		{
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
		},
		{
			displayName: 'Fields',
			name: 'selectedFields',
			type: 'multiOptions',
			default: [],
			description:
				'Fields to return in addition to callId. For other fields, use an expression, with dot notation for nested fields.',
			options: known.sort(compareTexts).map((name) => ({ name, value: name })),
			displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
		},
	];
}

/** Reads Simplify or, for an AI agent, Output: what to apply to each object; with a country, numbers come in E.164. */
export function readShape(at: ItemContext, simplify: Shape, country: string | undefined): Shape {
	const includeDetails = isOn(readOption(at, 'includeDetails'));
	const simple: Shape = (object) => present(simplify(object), { country, includeDetails });
	if (!isTool(at.context)) {
		return isOn(readParameter(at, 'simplify', true)) ? simple : (object) => object;
	}
	const output = readParameter(at, 'output', 'simplified');
	if (output === 'raw') return (object) => object;
	if (output !== 'selectedFields') return simple;
	const names = listOf(readParameter(at, 'selectedFields', []));
	if (names.length === 0) return simple;
	const whole: Shape = (object) => present(simplify(object), { country, includeDetails: true });
	return (object) => select(object, whole(object), ['callId', ...names]);
}

/** What a node shows of a simplified item. */
export interface Presentation {
	/** In whose form numbers come; undefined to keep them as they are. */
	country?: string | undefined;
	includeDetails: boolean;
}

/** Returns a simplified item as the node shows it: numbers in the form of a country, and `details` where they are asked for. */
export function present(item: IDataObject, { country, includeDetails }: Presentation): IDataObject {
	if (includeDetails) return inCountry(item, country);
	const top = { ...item };
	delete top.details;
	return inCountry(top, country);
}

/** n8n gives a node that serves an AI agent a type name of its own. */
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

/** Return All and Limit, as every list operation has them. */
export const returnAllFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

/** Reads Return All and Limit; undefined for all. Throws NodeOperationError when Limit is no whole number from 1 on. */
export function readLimit(at: ItemContext): number | undefined {
	if (isOn(readParameter(at, 'returnAll', false))) return undefined;
	return readNumber(at, readParameter(at, 'limit', 50), 'Limit', {
		least: 1,
		isWhole: true,
		remedy: 'Correct the parameter Limit, or turn on Return All.',
	});
}

/** Where a downloaded file goes. */
export const fileField: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	required: true,
	default: 'data',
	hint: 'The name of the output binary field to put the file in',
};

/** Reads the value of {@link fileField}; throws NodeOperationError when it is empty. */
export function readFileField(place: Place, value: unknown): string {
	const name = String(value ?? '').trim();
	if (name !== '') return name;
	const remedy = 'Enter the name of the binary field, for example data.';
	throw refusal(place, `${fileField.displayName} is empty`, remedy);
}
