import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { CallFilters } from '../../calls/filter';
import { readCallFilters } from '../../parameters/callFilters';
import { assertChoices } from '../../parameters/choices';
import { customData, includeDetails } from '../../parameters/options';
import type { Presentation } from '../../parameters/output';
import { simplify } from '../../parameters/output';
import { parameterError, triggerScope } from '../../parameters/parameter';
import { isReservedName } from '../../pbx/events/reserved';
import { isSecretKey } from '../../pbx/events/secret';
import type { EventValue } from '../../pbx/events/table';
import type { Desired } from '../runtime/lifecycle';
import { readCheckSettings } from '../runtime/settings';
import type { LegMode } from './parameters';
import {
	dropRepeats,
	events,
	filters,
	legs,
	options,
	retries,
	sampleEvents,
	verifyDeliveries,
} from './parameters';

/** Which events the user wants. */
export interface Selection {
	events: readonly EventValue[];
	legs: LegMode;
	filters: CallFilters;
}

/** The parameters of the event trigger, checked. */
export interface Settings
	extends Selection,
		Presentation,
		Pick<Desired, 'checkMinutes' | 'startsErrorWorkflow'> {
	simplify: boolean;
	dropRepeats: boolean;
	customData: IDataObject;
	retries: number;
}

type Context = IHookFunctions | IWebhookFunctions;

/** Reads the trigger's parameters; throws a NodeOperationError that names the parameter. */
export function readSettings(context: Context, country?: string): Settings {
	const scope = triggerScope(context);
	assertChoices(scope, [events, filters, options]);
	const given = options.read(scope);
	return {
		country,
		events: events.read(scope),
		simplify: simplify.read(scope),
		filters: readCallFilters(filters.read(scope), given, country),
		legs: legs.read(given),
		dropRepeats: dropRepeats.read(given),
		includeDetails: includeDetails.read(given),
		// An empty one counts as not added.
		customData: given.values.customData ? customData.read(given) : {},
		retries: retries.read(given),
		...readCheckSettings(given),
	};
}

/** Returns whether deliveries must carry the secret; known before everything else, whatever is wrong with the rest. */
export function verifies(context: Context): boolean {
	return verifyDeliveries.read(options.read(triggerScope(context)));
}

/** Throws a NodeOperationError for custom data that would overwrite fields of events (§2.5), which names the key. */
export function assertNotReserved(context: Context, { customData }: Settings): void {
	const taken = Object.keys(customData).find((key) => isReservedName(key) || isSecretKey(key));
	if (taken === undefined) return;
	throw parameterError(
		{ context },
		`Custom Data must not contain the key "${taken}"`,
		'The PBX may add custom data to the event, where this key already has a meaning. Use another name.',
	);
}

/** Returns whether "Execute step" is to get samples instead of waiting for a call. */
export function isSampling(context: Context): boolean {
	return context.getMode() === 'manual' && wantsSamples(context);
}

/** Reads Sample Events. */
export function wantsSamples(context: Context): boolean {
	return sampleEvents.read(options.read(triggerScope(context)));
}
