import type { IWebhookFunctions } from 'n8n-workflow';

import { deliveryUrl } from '../../parameters/options';
import { fixedParameters, triggerScope } from '../../parameters/parameter';
import { options, verifyDeliveries } from './parameters';
import { readSettings } from './settings';
import type { Settings } from './settings';
import type { EventTriggerState } from './triggerState';

/** A trigger's parameters as this process last read them. */
export interface KnownParameters {
	/**
	 * The parameters as n8n stores them; undefined if an expression can return a different value for the next event.
	 */
	source: string | undefined;
	/** Whether deliveries must carry the secret, even if other parameters are invalid. */
	isVerifying: boolean;
	deliveryUrl: unknown;
	/** By the credential's country. Read when a delivery is accepted. */
	settings: Map<string | undefined, Settings>;
}

/** Returns a trigger's known parameters. Reads them again after a change, and every time if one is an expression. */
export function currentParameters(
	context: IWebhookFunctions,
	state: EventTriggerState,
): KnownParameters {
	const source = fixedParameters(context.getNode());
	const known = state.parameters;
	if (known && source !== undefined && known.source === source) return known;
	const given = options.read(triggerScope(context));
	return (state.parameters = {
		source,
		isVerifying: verifyDeliveries.read(given),
		deliveryUrl: deliveryUrl.readIfAdded(given),
		settings: new Map(),
	});
}

/** Returns the settings for a country. Throws NodeOperationError naming the invalid parameter. */
export function settingsFor(
	context: IWebhookFunctions,
	{ settings }: KnownParameters,
	country: string | undefined,
): Settings {
	const known = settings.get(country) ?? readSettings(context, country);
	settings.set(country, known);
	return known;
}
