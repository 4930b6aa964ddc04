import type { IWebhookFunctions } from 'n8n-workflow';

import { optionsOf } from '../runtime/settings';
import { readSettings, verifies } from './settings';
import type { Settings } from './settings';
import type { EventTriggerState } from './triggerState';

/** What this process has read of a trigger's parameters. */
export interface KnownParameters {
	/** The parameters as n8n stores them; undefined where an expression may give other values for the next event. */
	source: string | undefined;
	/** Whether deliveries must carry the secret, whatever is wrong with the rest. */
	isVerifying: boolean;
	deliveryUrl: unknown;
	/** By the country of the credential; read when a delivery is accepted. */
	settings: Map<string | undefined, Settings>;
}

/** Returns what is known of a trigger's parameters; reads them again after a change, and each time where one is an expression. */
export function currentParameters(
	context: IWebhookFunctions,
	state: EventTriggerState,
): KnownParameters {
	const stored = JSON.stringify(context.getNode().parameters);
	const source = stored?.includes('"=') ? undefined : stored;
	const known = state.parameters;
	if (known && source !== undefined && known.source === source) return known;
	const isVerifying = verifies(context);
	const { deliveryUrl } = optionsOf(context);
	return (state.parameters = { source, isVerifying, deliveryUrl, settings: new Map() });
}

/** Returns the settings for a country; throws a NodeOperationError that names the parameter that cannot be used. */
export function settingsFor(
	context: IWebhookFunctions,
	{ settings }: KnownParameters,
	country: string | undefined,
): Settings {
	const known = settings.get(country) ?? readSettings(context, country);
	settings.set(country, known);
	return known;
}
