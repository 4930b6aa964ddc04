import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../parameters/inputs';
import { readCustomData, readNumber, readText, refusal } from '../../parameters/inputs';
import { CUSTOM_DATA } from '../../parameters/options';
import { withoutTag } from '../../pbx/events/webhookTag';
import { HOOKS } from '../../pbx/events/table';
import { MASK } from '../../pbx/redact';
import { isObject } from '../../util/json';

/** Inputs of a webhook (§2.5). */
export const webhookFields = {
	name: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Calls to CRM',
		description: 'Name of the webhook',
	},
	uri: {
		displayName: 'URL',
		name: 'uri',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://crm.example.com/calls',
		description: 'Address that receives the events',
	},
	hook: {
		displayName: 'Event',
		name: 'hook',
		type: 'options',
		options: HOOKS.map(({ name, hook }) => ({ name, value: hook })),
		default: 'channel_destroy',
		description: 'Event to deliver. For other hooks of your PBX, use an expression.',
	},
	verb: {
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
	},
	retries: {
		displayName: 'Delivery Attempts',
		name: 'retries',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 4 },
		default: 2,
		description:
			'How many times the PBX tries to deliver an event, including the first attempt. Most PBXs accept 1 to 4.',
	},
	customData: {
		displayName: 'Custom Data (JSON)',
		name: 'customData',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"office": "Riga"}',
		description: CUSTOM_DATA,
	},
} satisfies Record<string, INodeProperties>;

/** Reads the fields of a webhook that the user named; throws NodeOperationError for one that cannot be used. */
export function readWebhookValues(at: ItemContext, values: IDataObject): IDataObject {
	const result: IDataObject = {};
	if (values.name !== undefined) result.name = readText(at, values.name, 'Name');
	if (values.uri !== undefined) result.uri = readUri(at, values.uri);
	if (values.http_verb !== undefined)
		result.http_verb = readText(at, values.http_verb, 'Method').toLowerCase();
	if ('hook' in values) result.hook = readText(at, values.hook, 'Event');
	if (values.retries !== undefined)
		result.retries = readNumber(at, values.retries, 'Delivery Attempts', ATTEMPTS);
	if (values.customData !== undefined) result.custom_data = readCustomData(at, values.customData);
	return result;
}

const ATTEMPTS = {
	least: 1,
	isWhole: true,
	remedy: '1 means a single attempt, and with 0 the PBX would deliver nothing.',
};

function readUri(at: ItemContext, value: unknown): string {
	const uri = readText(at, value, 'URL');
	if (/^https?:\/\//i.test(uri) && URL.canParse(uri)) return uri;
	throw refusal(
		at,
		`URL "${uri}" is not a web address`,
		'Enter an address that begins with https:// or http://',
	);
}

/** Makes a webhook's document of the fields that the user named, with every required field of §4.4. Throws NodeOperationError. */
export function newWebhook(at: ItemContext, values: IDataObject): IDataObject {
	readText(at, values.name, 'Name');
	readText(at, values.uri, 'URL');
	return { http_verb: 'post', hook: 'channel_destroy', retries: 2, ...values };
}

/** A webhook as workflows may see it: the secret of our event trigger is masked. */
export function masked(webhook: IDataObject): IDataObject {
	return withoutTag(webhook, MASK);
}

/** Merges custom data by name into that of the webhook; what is masked, as in an earlier output, stays as it is. */
export function withCustomData(values: IDataObject, current: IDataObject = {}): IDataObject {
	if (!isObject(values.custom_data)) return values;
	const old = isObject(current.custom_data) ? current.custom_data : {};
	const given = Object.entries(values.custom_data).filter(([, value]) => value !== MASK);
	return { ...values, custom_data: { ...old, ...Object.fromEntries(given) } as IDataObject };
}
