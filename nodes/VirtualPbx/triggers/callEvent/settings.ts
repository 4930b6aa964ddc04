import type { IDataObject, IHookFunctions, INode, IWebhookFunctions } from 'n8n-workflow';

import type { Account } from '../../calls/leg';
import { NOTHING_SHOWN } from '../../calls/leg';
import type { CallFilters } from '../../calls/filter';
import { readCallFilters } from '../../parameters/callFilters';
import type { CheckSettings } from '../../parameters/options';
import { customData, includeDetails, readCheckSettings } from '../../parameters/options';
import type { Presentation } from '../../parameters/output';
import { simplify } from '../../parameters/output';
import { parameterError, triggerScope } from '../../parameters/parameter';
import { isReservedName } from '../../pbx/events/delivery';
import type { EventValue } from '../../pbx/events/table';
import { TAG_NAME } from '../../pbx/events/webhookTag';
import type { CredentialData } from '../../pbx/types';
import { callSettingsOf, countryOf } from '../../pbx/credential';
import type { NodeRuntime } from '../runtime/nodeRuntime';
import * as parameters from './parameters';

/** The events that the user wants. */
export interface Selection {
	events: readonly EventValue[];
	legs: parameters.LegMode;
	filters: CallFilters;
}

/** The validated parameters of the event trigger. */
export interface Settings extends Selection, Presentation, CheckSettings {
	simplify: boolean;
	/** The credential's settings for the account's calls. */
	account: Account;
	dropRepeats: boolean;
	groupEvents: boolean;
	customData: IDataObject;
	retries: number;
}

type Context = IHookFunctions | IWebhookFunctions;

/** Reads the trigger's parameters. Throws NodeOperationError naming the invalid one. */
export function readSettings(context: Context, credential: CredentialData = {}): Settings {
	const scope = triggerScope(context);
	const given = parameters.options.read(scope);
	const country = countryOf(credential);
	return {
		country,
		account: { ...callSettingsOf(credential), shown: NOTHING_SHOWN },
		events: parameters.events.read(scope),
		simplify: simplify.read(scope),
		filters: readCallFilters(parameters.filters.read(scope), given, country),
		legs: parameters.legs.read(given),
		dropRepeats: parameters.dropRepeats.read(given),
		groupEvents: parameters.groupEvents.read(given),
		includeDetails: includeDetails.read(given),
		// Empty counts as not added.
		customData: given.values.customData ? customData.read(given) : {},
		retries: parameters.retries.read(given),
		...readCheckSettings(given),
	};
}

/** Returns whether deliveries must carry the secret. */
export function verifies(context: Context): boolean {
	return parameters.verifyDeliveries.read(parameters.options.read(triggerScope(context)));
}

/** Throws NodeOperationError, naming the key, for custom data that would overwrite fields of events (§2.5). */
export function assertNotReserved(context: Context, { customData }: Settings): void {
	const taken = Object.keys(customData).find((key) => isReservedName(key) || key === TAG_NAME);
	if (taken === undefined) return;
	throw parameterError(
		{ context },
		`'Custom Data (JSON)' must not contain the key "${taken}"`,
		'The PBX can add custom data to the event, where this key already has a meaning. Use another name.',
	);
}

/** Returns whether "Execute step" gets samples instead of waiting for a call. */
export function isSampling(context: Context): boolean {
	return context.getMode() === 'manual' && wantsSamples(context);
}

/** Returns whether Sample Events is on, which affects only manual executions. */
export function wantsSamples(context: Context): boolean {
	return parameters.sampleEvents.read(triggerScope(context));
}

/**
 * Returns a node's parameters as JSON, to detect changes; undefined if an expression can return a different value each
 * time.
 */
function fixedParameters({ parameters }: INode): string | undefined {
	const text = JSON.stringify(parameters);
	return text.includes('"=') ? undefined : text;
}

/** A trigger's parameters, as read for one delivery and for later ones until they change. */
export interface KnownParameters {
	/**
	 * The parameters as n8n stores them; undefined if an expression can return a different value for the next event.
	 */
	source: string | undefined;
	/** Whether deliveries must carry the secret, even if other parameters are invalid. */
	isVerifying: boolean;
	/** By what the credential says about calls. Read when a delivery is accepted. */
	settings: Map<string, Settings>;
}

/** A trigger's parameters as this process last read them. */
class LatestParameters {
	read?: KnownParameters;
}

/** Returns a trigger's known parameters. Reads them again after a change, and every time if one is an expression. */
export function currentParameters(
	context: IWebhookFunctions,
	runtime: NodeRuntime,
): KnownParameters {
	const latest = runtime.memory(LatestParameters);
	const source = fixedParameters(context.getNode());
	if (source !== undefined && latest.read?.source === source) return latest.read;
	const given = parameters.options.read(triggerScope(context));
	return (latest.read = {
		source,
		isVerifying: parameters.verifyDeliveries.read(given),
		settings: new Map(),
	});
}

/** Returns the settings with a credential. Throws NodeOperationError naming the invalid parameter. */
export function settingsFor(
	context: IWebhookFunctions,
	{ settings }: KnownParameters,
	credential: CredentialData,
): Settings {
	const key = JSON.stringify([countryOf(credential), callSettingsOf(credential)]);
	const known = settings.get(key) ?? readSettings(context, credential);
	settings.set(key, known);
	return known;
}
