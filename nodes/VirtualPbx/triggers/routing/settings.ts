import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readCountryChoice } from '../../fields/country';
import { settingError } from '../../fields/inputs';
import { readCredential } from '../../auth/credential';
import type { Pivot } from '../../pivot/module';
import { webserverOf } from '../../pivot/module';
import { CREDENTIAL } from '../../transport/request';
import { asText, isObject, isOn } from '../../values/json';
import type { DeliveryAddress } from '../address';
import { deliveryAddress, whyUnreachable } from '../address';
import type { WatchSettings } from '../watching';
import { readWatchSettings } from '../watching';
import type { CallflowPlace } from './connection/connect';

/** How a node is to be connected. */
export interface Settings extends WatchSettings {
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
		throw settingError(
			context,
			'Callflow is empty',
			'Choose one from the list, or set Connect to "Manually".',
		);

	const { baseUrl, platform } = readCredential(await context.getCredentials(CREDENTIAL));
	const webserver = reachableWebserver(context, baseUrl);
	const timeout = Number(option(context, 'requestTimeout') ?? 5);
	if (!(timeout > 0))
		throw settingError(
			context,
			'Request Timeout must be a number above 0',
			'Correct it under Options.',
		);
	if (deadlineMs >= timeout * 1000) {
		throw settingError(
			context,
			`Deadline (${deadlineMs / 1000} s) must be shorter than the Request Timeout (${timeout} s)`,
			'The PBX would stop waiting before it gets the fallback. Shorten the Deadline, or increase the Request Timeout in Options.',
		);
	}
	const method = String(option(context, 'requestMethod') ?? 'GET').toUpperCase();
	const format = asText(option(context, 'responseFormat'))?.trim() || platform;
	const watching = readWatchSettings(context, {
		checkMinutes: option(context, 'checkMinutes') as IDataObject[string],
		startsErrorWorkflow: option(context, 'startsErrorWorkflow') as IDataObject[string],
	});
	return { place, pivot: { webserver, method, timeout: String(timeout), format }, ...watching };
}

function reachableWebserver(context: IHookFunctions, baseUrl: string): string {
	const own = ownUrl(context);
	if ('fault' in own) throw settingError(context, `Delivery URL ${own.fault}`, own.hint);
	const { url } = own;
	const address = webserverOf(url);
	if ('fault' in address) {
		throw settingError(
			context,
			`The address of this n8n ${address.fault}`,
			'Set the environment variable N8N_WEBHOOK_URL to the public address of n8n, and restart it.',
		);
	}
	const why = isOn(option(context, 'skipUrlCheck')) ? undefined : whyUnreachable(url, baseUrl);
	if (why) throw settingError(context, why.message, why.description);
	return address.webserver;
}

function option(context: IHookFunctions, name: string): unknown {
	const options: unknown = context.getNodeParameter('options', {});
	const value = isObject(options) ? options[name] : undefined;
	return value === '' || value === null ? undefined : value;
}

/** Below the usual `req_timeout` of 5 s (§2.2), with time for the network. */
export const DEFAULT_DEADLINE_S = 4;
const SHORTEST_S = 0.1;
const LONGEST_S = 60;

/**
 * Reads the deadline, within 0.1 to 60 s; anything that is no such number means the default, since a call waits.
 *
 * @returns milliseconds
 */
export function readDeadline(context: IHookFunctions | IWebhookFunctions): number {
	const seconds = Number(readSafely(context, 'deadline', DEFAULT_DEADLINE_S));
	const valid = Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_DEADLINE_S;
	return Math.round(Math.min(Math.max(valid, SHORTEST_S), LONGEST_S) * 1000);
}

/**
 * Refuses an activation with a deadline that could not be kept.
 *
 * @throws NodeOperationError that names the range
 */
export function requireDeadline(context: IHookFunctions): void {
	const seconds = Number(readSafely(context, 'deadline', DEFAULT_DEADLINE_S));
	if (seconds >= SHORTEST_S && seconds <= LONGEST_S) return;
	throw new NodeOperationError(
		context.getNode(),
		`Deadline must be a number of seconds from ${SHORTEST_S} to ${LONGEST_S}`,
	);
}

/**
 * Refuses an activation with a country that is not known.
 *
 * @throws NodeOperationError that names the option
 */
export function requireCountry(context: IHookFunctions): void {
	readCountryChoice(context, option(context, 'country'));
}

/**
 * Reads a parameter while a call waits: an expression that fails is logged, and the default is used.
 */
export function readSafely(
	context: IHookFunctions | IWebhookFunctions,
	name: string,
	byDefault: unknown,
): unknown {
	try {
		return context.getNodeParameter(name, byDefault as object);
	} catch (error) {
		const words = error instanceof Error ? error.message : String(error);
		context.logger.error(
			`${context.getNode().name}: the parameter "${name}" cannot be read: ${words}`,
		);
		return byDefault;
	}
}
