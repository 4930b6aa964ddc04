import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { HOOKS } from '../../events/table';
import type { ItemContext } from '../../fields/inputs';
import { readJsonObject, readText, refusal } from '../../fields/inputs';
import { isObject } from '../../values/json';

/** Inputs of a webhook (§2.5). */
export const webhookName: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
	placeholder: 'e.g. Calls to CRM',
	description: 'Name of the webhook',
};

export const webhookUri: INodeProperties = {
	displayName: 'URL',
	name: 'uri',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://crm.example.com/calls',
	description: 'Address that receives the events',
};

export const webhookHook: INodeProperties = {
	displayName: 'Event',
	name: 'hook',
	type: 'options',
	options: HOOKS.map(({ name, hook }) => ({ name, value: hook })),
	default: 'channel_destroy',
	description: 'Event to deliver. For other hooks of your PBX, use an expression.',
};

export const webhookVerb: INodeProperties = {
	displayName: 'Method',
	name: 'http_verb',
	type: 'options',
	options: [
		{ name: 'GET', value: 'get' },
		{ name: 'POST', value: 'post' },
		{ name: 'PUT', value: 'put' },
	],
	default: 'post',
	description: 'HTTP method of the deliveries',
};

export const webhookRetries: INodeProperties = {
	displayName: 'Retries',
	name: 'retries',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 2,
	description: 'How many times the PBX tries to deliver an event, at least 1',
};

export const webhookCustomData: INodeProperties[] = [
	{
		displayName: 'Custom Data',
		name: 'customData',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Value',
		default: {},
		description: 'Values that the PBX adds to every event',
		options: [
			{
				displayName: 'Value',
				name: 'values',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. tenant',
					},
					{ displayName: 'Value', name: 'value', type: 'string', default: '' },
				],
			},
		],
	},
	{
		displayName: 'Custom Data (JSON)',
		name: 'customDataJson',
		type: 'json',
		default: '{}',
		description: 'Custom data as a JSON object. It is merged with the fields above.',
	},
];

/**
 * Reads and checks the fields of a webhook that the user named; the others are left out.
 *
 * @param values what the parameters hold, by name
 * @throws NodeOperationError for an empty text, an address that is none, and retries below 1
 */
export function readWebhookValues(at: ItemContext, values: IDataObject): IDataObject {
	const result: IDataObject = {};
	if (values.name !== undefined) result.name = readText(at, values.name, 'Name');
	if (values.uri !== undefined) result.uri = readUri(at, values.uri);
	if (values.http_verb !== undefined)
		result.http_verb = readText(at, values.http_verb, 'Method').toLowerCase();
	if ('hook' in values) result.hook = readText(at, values.hook, 'Event');
	if (values.retries !== undefined) result.retries = readRetries(at, values.retries);
	const customData = readCustomData(at, values);
	if (customData !== undefined) result.custom_data = customData;
	return result;
}

function readUri(at: ItemContext, value: unknown): string {
	const uri = readText(at, value, 'URL');
	if (/^https?:\/\//i.test(uri) && URL.canParse(uri)) return uri;
	throw refusal(
		at,
		`URL "${uri}" is not a web address`,
		'Enter an address that begins with https:// or http://',
	);
}

function readRetries(at: ItemContext, value: unknown): number {
	const retries = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof retries === 'number' && Number.isInteger(retries) && retries >= 1) return retries;
	throw refusal(
		at,
		'Retries must be a whole number of at least 1',
		'Correct the parameter Retries. It counts attempts: 1 means one attempt, and with 0 the PBX would deliver nothing.',
	);
}

function readCustomData(at: ItemContext, values: IDataObject): IDataObject | undefined {
	const { customData, customDataJson } = values;
	if (customData === undefined && customDataJson === undefined) return undefined;
	const fromJson =
		customDataJson === undefined ? {} : readJsonObject(at, customDataJson, 'Custom Data (JSON)');
	const rows: unknown = isObject(customData) ? customData.values : [];
	const fromRows = (Array.isArray(rows) ? rows : [rows])
		.filter(isObject)
		.map(
			({ name, value }) =>
				[readText(at, name, 'Name of a Custom Data value'), value ?? ''] as const,
		);
	return { ...fromJson, ...Object.fromEntries(fromRows) } as IDataObject;
}

const REQUIRED = { name: 'Name', uri: 'URL' } as const;

/**
 * Makes a webhook's document of the fields that the user named, with every required field of §4.4.
 *
 * @throws NodeOperationError when name or address are missing
 */
export function newWebhook(at: ItemContext, values: IDataObject): IDataObject {
	for (const [field, label] of Object.entries(REQUIRED)) {
		if (values[field] === undefined) throw refusal(at, `${label} is empty`, `Fill in ${label}.`);
	}
	return { http_verb: 'post', hook: 'channel_destroy', retries: 2, ...values };
}
