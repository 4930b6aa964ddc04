import type { IDataObject } from 'n8n-workflow';

import { customData, defineDeliveryAttempts } from '../../parameters/options';
import type { AddedValues, Place } from '../../parameters/parameter';
import { defineText, parameterError } from '../../parameters/parameter';
import type { Pbx } from '../../pbx/client';
import { withoutTag } from '../../pbx/events/delivery';
import { HOOKS } from '../../pbx/events/table';
import { MASK } from '../../pbx/redact';
import type { Webhook, WebhookInput } from '../../pbx/webhooks/webhooks';

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
		displayName: 'Event',
		name: 'hook',
		type: 'options',
		options: HOOKS.map(({ name, hook }) => ({ name, value: hook })),
		default: 'channel_destroy',
		description: 'Event to deliver. For other hooks of your PBX, use an expression.',
		isOpen: true,
	}),
	verb: defineText({
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
		isOpen: true,
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

/** Reads the address to search for leftovers. Throws NodeOperationError if it is empty or no web address. */
export function readAddress(at: Place, value: unknown): URL {
	const text = typeof value === 'string' ? value.trim() : '';
	if (text === '')
		throw parameterError(
			at,
			"'Address' is empty",
			'Enter the address of the webhooks that you want to find, such as https://old-n8n.example.com/',
		);
	const isWeb = /^https?:\/\/[^/?#]/i.test(text) && URL.canParse(text);
	const address = isWeb ? new URL(text) : undefined;
	if (address && !/[?#*]/.test(text) && address.username === '' && address.password === '')
		return address;
	throw parameterError(
		at,
		`'Address' can't be used: ${text.replace(/\/\/[^/]*@/, '//')}`,
		'Enter an address that begins with https:// or http:// and has no user name, query, or wildcard.',
	);
}

/** Returns whether a URI equals an address or is below its path: `/n8n/webhook` is below `/n8n`, `/n8n2` isn't. */
export function isUnder(uri: string | undefined, address: URL): boolean {
	if (uri === undefined || !URL.canParse(uri)) return false;
	const { origin, pathname } = new URL(uri);
	const path = address.pathname.replace(/\/+$/, '');
	return origin === address.origin && (pathname === path || pathname.startsWith(`${path}/`));
}

interface Search {
	/** Excludes addresses before anything is read. */
	mayCount?: (uri: string | undefined) => boolean;
	/** Includes webhooks whose custom data the PBX hides, found by name and address. For display only. */
	alsoByName?: boolean;
}

/**
 * Finds the webhooks that this package's event triggers created (§4.4), by the tag in their custom data. List items
 * without it, or without an address, are read one by one. Throws PbxError.
 */
export async function findRegistrations(
	{ webhooks }: Pbx,
	{ mayCount = () => true, alsoByName = false }: Search = {},
): Promise<Webhook[]> {
	const listed = await webhooks.list();
	const possible = listed.filter(({ uri }) => uri === undefined || mayCount(uri));
	const isWhole = ({ uri, tags }: Webhook) => uri !== undefined && tags.length > 0;
	const read = await webhooks.readAll(possible.filter((webhook) => !isWhole(webhook)));
	const isOurs = (webhook: Webhook) =>
		webhook.tags.length > 0 || (alsoByName && isNamedAsOurs(webhook));
	return [...possible.filter(isWhole), ...read].filter(
		(webhook) => mayCount(webhook.uri) && isOurs(webhook),
	);
}

/** The path that n8n assigns to an event trigger, after any prefix. */
const TRIGGER_PATH = /\/webhook\/[^/]+\/webhook\/?$/;

function isNamedAsOurs({ workflow, uri = '', customData }: Webhook): boolean {
	if (Object.keys(customData).length > 0 || workflow === undefined) return false;
	return URL.canParse(uri) && TRIGGER_PATH.test(new URL(uri).pathname);
}
