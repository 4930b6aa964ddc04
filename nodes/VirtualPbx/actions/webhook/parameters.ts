import type { IDataObject } from 'n8n-workflow';

import { customData, defineDeliveryAttempts } from '../../parameters/options';
import type { AddedValues } from '../../parameters/parameter';
import { defineText, parameterError } from '../../parameters/parameter';
import { HOOKS } from '../../pbx/events/table';
import { withoutTag } from '../../pbx/events/webhookTag';
import { MASK } from '../../pbx/redact';
import type { WebhookInput } from '../../pbx/webhooks/webhooks';

/** The parameters of a webhook (§2.5). */
export const webhookParameters = {
	name: defineText({
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Calls to CRM',
		description: 'Name of the webhook',
	}),
	uri: defineText({
		displayName: 'URL',
		name: 'uri',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://crm.example.com/calls',
		description: 'Address that receives the events',
	}).map((uri, place) => {
		if (/^https?:\/\//i.test(uri) && URL.canParse(uri)) return uri;
		throw parameterError(
			place,
			`'URL' isn't a web address: ${uri}`,
			'Enter an address that begins with https:// or http://',
		);
	}),
	hook: defineText({
		isOpen: true,
		displayName: 'Event',
		name: 'hook',
		type: 'options',
		options: HOOKS.map(({ name, hook }) => ({ name, value: hook })),
		default: 'channel_destroy',
		description: 'Event to deliver. For other hooks of your PBX, use an expression.',
	}),
	verb: defineText({
		isOpen: true,
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
	}).map((verb) => verb.toLowerCase()),
	retries: defineDeliveryAttempts(
		'How many times the PBX tries to deliver an event, including the first attempt. Most PBXs accept 1 to 4.',
		{
			most: Infinity,
			remedy: '1 means a single attempt. With 0, the PBX would deliver nothing.',
		},
	),
	customData,
};

/** Reads the webhook fields that the user added. Throws NodeOperationError for an invalid one. */
export function readWebhookInput(given: AddedValues): WebhookInput {
	const { name, uri, hook, verb, retries } = webhookParameters;
	return {
		name: name.readIfSet(given),
		uri: uri.readIfSet(given),
		method: verb.readIfSet(given),
		hook: hook.readIfAdded(given),
		retries: retries.readIfSet(given),
		customData: customData.readIfSet(given),
	};
}

/** Reads a new webhook with all required fields of §4.4. Throws NodeOperationError for a missing one. */
export function readNewWebhook(given: AddedValues): WebhookInput {
	const { name, uri, hook, verb, retries } = webhookParameters;
	const webhook = readWebhookInput(given);
	return {
		method: verb.read(given),
		hook: hook.read(given),
		retries: retries.read(given),
		name: name.read(given),
		uri: uri.read(given),
		customData: webhook.customData,
	};
}

/** Returns a webhook as workflows can see it, with the event trigger's secret masked. */
export function masked(webhook: IDataObject): IDataObject {
	return withoutTag(webhook, MASK);
}
