import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { readCallFilters } from '../../parameters/callFilters';
import { refuseWrongChoice } from '../../parameters/choices';
import { listOf, readCustomData, readNumber, refusal } from '../../parameters/inputs';
import type { Presentation } from '../../parameters/output';
import { isReservedName } from '../../pbx/events/fields';
import { isTagKey } from '../../pbx/events/webhookTag';
import { EVENTS } from '../../pbx/events/table';
import type { EventValue } from '../../pbx/events/table';
import { isOn } from '../../util/json';
import type { Desired } from '../runtime/managedResource';
import { optionsOf, readCheckSettings } from '../runtime/settings';
import { callEventFields } from './fields';

/** Which legs of a call start the workflow; stored in workflows. */
export type LegMode = 'oncePerCall' | 'everyLeg';

/** Which events the user wants. */
export interface Selection {
	events: readonly EventValue[];
	legs: LegMode;
	filters: ReturnType<typeof readCallFilters>;
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
	const parameter = (name: string, fallback: unknown): unknown =>
		context.getNodeParameter(name, fallback as string) as unknown;
	const events = parameter('events', ['ended']);
	const filters = parameter('filters', {});
	const options = optionsOf(context);
	refuseWrongChoice(context, callEventFields, { events, filters, options } as IDataObject);
	return {
		country,
		events: readEvents(context, events),
		simplify: isOn(parameter('simplify', true)),
		filters: readCallFilters({ context }, { filters, options, country }),
		legs: options.legs === 'everyLeg' ? 'everyLeg' : 'oncePerCall',
		dropRepeats: isOn(options.dropRepeats ?? true),
		includeDetails: isOn(options.includeDetails ?? false),
		customData: readCustomData({ context }, options.customData || {}),
		retries: readNumber({ context }, options.retries ?? 2, 'Delivery Attempts', {
			least: 1,
			most: 4,
			isWhole: true,
		}),
		...readCheckSettings(context, options),
	};
}

/** Tells whether deliveries must carry the secret; known before everything else, whatever is wrong with the rest. */
export function verifies(context: Context): boolean {
	return isOn(optionsOf(context).verifyDeliveries ?? true);
}

function readEvents(context: Context, value: unknown): EventValue[] {
	const given = listOf(value);
	const events = EVENTS.map((row) => row.value).filter((event) => given.includes(event));
	if (events.length > 0) return events;
	throw refusal(
		{ context },
		'Events is empty',
		'Choose at least one event that starts the workflow.',
	);
}

/** Refuses custom data that would overwrite fields of events (§2.5); throws a NodeOperationError that names the key. */
export function refuseReserved(context: Context, { customData }: Settings): void {
	const taken = Object.keys(customData).find((key) => isReservedName(key) || isTagKey(key));
	if (taken === undefined) return;
	throw refusal(
		{ context },
		`Custom Data must not contain the key "${taken}"`,
		'The PBX may add custom data to the event, where this key already has a meaning. Use another name.',
	);
}

/** Tells whether "Execute step" is to get samples instead of waiting for a call. */
export function isSampling(context: Context): boolean {
	return context.getMode() === 'manual' && wantsSamples(context);
}

/** Reads Sample Events. */
export function wantsSamples(context: Context): boolean {
	return isOn(optionsOf(context).sampleEvents);
}
