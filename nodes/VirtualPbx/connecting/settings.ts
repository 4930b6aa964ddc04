import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readCredential } from '../auth/credential';
import { whyUnreachable } from '../subscription/reachability';
import { CREDENTIAL } from '../transport/door';
import { deliveryAddress } from '../values/deliveryAddress';
import type { DeliveryAddress } from '../values/deliveryAddress';
import { asText, isObject } from '../values/json';
import type { Pivot } from '../values/pivot';
import { webserverOf } from '../values/pivot';
import type { CallflowPlace } from './callflowStore';

/** How a node is to be connected. */
export interface Settings {
	place: CallflowPlace;
	pivot: Pivot;
}

/** Whether the node connects itself to a callflow, rather than by hand. */
export function connectsItself(context: IHookFunctions): boolean {
	return context.getNodeParameter('connect', 'manual') === 'callflow';
}

/** The address of this node as the PBX is told it: host and path; undefined when there is none that can be told. */
export function ownWebserver(context: IHookFunctions): string | undefined {
	const own = ownUrl(context);
	const address = webserverOf('fault' in own ? '' : own.url);
	return 'fault' in address ? undefined : address.webserver;
}

/** Where the PBX is to ask: n8n's own URL, unless the user has entered another one. */
function ownUrl(context: IHookFunctions): DeliveryAddress {
	const options: unknown = context.getNodeParameter('options', {});
	const given = isObject(options) ? options.deliveryUrl : undefined;
	const url = context.getNodeWebhookUrl('default');
	return url === undefined ? { url: '' } : deliveryAddress(url, given);
}

/** The chosen callflow; undefined when none is chosen. */
export function chosenPlace(context: IHookFunctions): CallflowPlace | undefined {
	const value: unknown = context.getNodeParameter('callflowId', '', { extractValue: true });
	const callflowId = asText(isObject(value) ? value.value : value)?.trim();
	if (!callflowId) return undefined;
	return { callflowId, accountId: asText(option(context, 'accountId'))?.trim() };
}

/**
 * Reads and checks how to connect.
 *
 * @param deadlineMs the node's own deadline, which must end before the PBX gives up
 * @throws NodeOperationError that names the parameter; nothing has been sent then
 */
export async function readSettings(context: IHookFunctions, deadlineMs: number): Promise<Settings> {
	const place = chosenPlace(context);
	if (!place)
		throw refusal(
			context,
			'Callflow is empty',
			'Choose one from the list, or set Connect to "By Hand".',
		);

	const { baseUrl, platform } = readCredential(await context.getCredentials(CREDENTIAL));
	const webserver = reachableWebserver(context, baseUrl);
	const timeout = Number(option(context, 'requestTimeout') ?? 5);
	if (!(timeout > 0))
		throw refusal(context, 'Request Timeout must be a number above 0', 'Correct it under Options.');
	if (deadlineMs >= timeout * 1000) {
		throw refusal(
			context,
			`Deadline (${deadlineMs / 1000} s) must be shorter than the Request Timeout (${timeout} s)`,
			'The PBX would give up before the fallback is sent. Shorten the Deadline, or set a longer Request Timeout under Options.',
		);
	}
	const method = String(option(context, 'requestMethod') ?? 'GET').toUpperCase();
	const format = asText(option(context, 'responseFormat'))?.trim() || platform;
	return { place, pivot: { webserver, method, timeout: String(timeout), format } };
}

function reachableWebserver(context: IHookFunctions, baseUrl: string): string {
	const own = ownUrl(context);
	if ('fault' in own) throw refusal(context, `Delivery URL ${own.fault}`, own.hint);
	const { url } = own;
	const address = webserverOf(url);
	if ('fault' in address) {
		throw refusal(
			context,
			`The address of this n8n ${address.fault}`,
			'Set the environment variable N8N_WEBHOOK_URL to the public address of n8n, and restart it.',
		);
	}
	const skips = [true, 'true'].includes(option(context, 'skipUrlCheck') as string);
	const why = skips ? undefined : whyUnreachable(url, baseUrl);
	if (why) throw refusal(context, why.message, why.description);
	return address.webserver;
}

function option(context: IHookFunctions, name: string): unknown {
	const options: unknown = context.getNodeParameter('options', {});
	const value = isObject(options) ? options[name] : undefined;
	return value === '' || value === null ? undefined : value;
}

function refusal(
	context: IHookFunctions,
	message: string,
	description: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), message, { description });
}
