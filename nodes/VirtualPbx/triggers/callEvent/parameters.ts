import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { CallFilters } from '../../calls/filter';
import type { Account } from '../../calls/leg';
import { NOTHING_SHOWN } from '../../calls/leg';
import { defineFilters, readCallFilters } from '../../parameters/callFilters';
import { CREDENTIAL } from '../../parameters/credential';
import type { CheckSettings } from '../../parameters/options';
import {
	countVoicemail,
	customData,
	defineDeliveryAttempts,
	defineDeliveryOptions,
	defineOptionsCollection,
	includeDetails,
	includeDetailsIfSimple,
	readCheckSettings,
} from '../../parameters/options';
import type { Presentation } from '../../parameters/output';
import { simplify } from '../../parameters/output';
import {
	defineBoolean,
	defineMultiOptions,
	defineOptions,
	parameterError,
	triggerScope,
} from '../../parameters/parameter';
import { callSettingsOf, countryOf } from '../../pbx/credential';
import { isReservedName, TAG_NAME } from '../../pbx/events/delivery';
import type { EventValue } from '../../pbx/events/table';
import { EVENTS } from '../../pbx/events/table';
import type { CredentialData } from '../../pbx/types';

const ENDED = { show: { '/events': ['ended', 'missed'] } };

const filters = defineFilters(
	{
		all: 'Only events of calls that match all filters start the workflow',
		missed:
			"Which calls start the workflow, by whether an employee answered. If a phone rang before voicemail answered, the event doesn't show this: use the Call Record Trigger to find these calls.",
	},
	{ whenEnded: ENDED, whenLegs: { show: { '/options.legs': ['everyLeg'] } } },
);

const dropRepeats = defineBoolean({
	displayName: 'Drop Repeated Deliveries',
	name: 'dropRepeats',
	type: 'boolean',
	default: true,
	description:
		'Whether to drop an event that the PBX delivers again if it has already started the workflow. With Once per Call, a call starts it only once in any case.',
});

const groupEvents = defineBoolean({
	displayName: 'Group Events',
	name: 'groupEvents',
	type: 'boolean',
	default: false,
	description:
		'Whether to start one execution with all events that arrive within 0.4 seconds, each as an item. Use it for many calls: n8n handles several times as many events.',
});

/** Which legs of a call start the workflow. Stored in workflows. */
export type LegMode = 'oncePerCall' | 'everyLeg';

const legs = defineOptions<LegMode>({
	displayName: 'Start the Workflow',
	name: 'legs',
	type: 'options',
	default: 'oncePerCall',
	description: 'How often a call starts the workflow. Call Missed always starts it once per call.',
	options: [
		{
			name: 'Once per Phone',
			value: 'everyLeg',
			description:
				'Once for the caller and once for each phone, for example to know whose phone rings',
		},
		{
			name: 'Once per Call',
			value: 'oncePerCall',
			description:
				"Once for the whole call. If your PBX doesn't report the caller's side, set 'Reported Parts of Calls' in the credential.",
		},
	],
});

const retries = defineDeliveryAttempts(
	'How many times the PBX tries to deliver an event, including the first attempt, from 1 to 4',
);

const sampleEvents = defineBoolean({
	displayName: 'Sample Events',
	name: 'sampleEvents',
	type: 'boolean',
	default: false,
	description:
		'Whether "Execute step" returns a sample of each chosen event right away, without a call or a credential. A published workflow ignores it.',
});

const verifyDeliveries = defineBoolean({
	displayName: 'Verify Deliveries',
	name: 'verifyDeliveries',
	type: 'boolean',
	default: true,
	description:
		"Whether deliveries must contain the webhook's secret. Turn this off only if your PBX doesn't add custom data to events: anyone who knows the URL can then forge calls.",
});

const options = defineOptionsCollection(countVoicemail, includeDetailsIfSimple, legs);

const deliveryOptions = defineDeliveryOptions(
	'checks its webhooks and repairs them, for example if the PBX has disabled one',
	...[customData, retries, dropRepeats, groupEvents, verifyDeliveries],
);

const events = defineMultiOptions<EventValue>({
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	required: true,
	default: ['ended'],
	description:
		"Events that start the workflow. If Call Missed never starts it, use the Call Record Trigger instead: some PBXs don't report the caller's side.",
	options: EVENTS.map(({ name, value, description }) => ({ name, value, description })),
}).map((given, place) => {
	const chosen = EVENTS.map((row) => row.value).filter((event) => given.includes(event));
	if (chosen.length > 0) return chosen;
	throw parameterError(
		place,
		"'Events' is empty",
		'Choose at least one event that starts the workflow.',
	);
});

export const callEventParameters = [
	events,
	sampleEvents,
	simplify,
	filters,
	options,
	deliveryOptions,
];

export interface Selection {
	events: readonly EventValue[];
	legs: LegMode;
	filters: CallFilters;
}

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
	const given = options.read(scope);
	const delivery = deliveryOptions.read(scope);
	const country = countryOf(credential);
	return {
		country,
		account: { ...callSettingsOf(credential), shown: NOTHING_SHOWN },
		events: events.read(scope),
		simplify: simplify.read(scope),
		filters: readCallFilters(filters.read(scope), given, country),
		legs: legs.read(given),
		dropRepeats: dropRepeats.read(delivery),
		groupEvents: groupEvents.read(delivery),
		includeDetails: includeDetails.read(given),
		// Empty counts as not added.
		customData: delivery.values.customData ? customData.read(delivery) : {},
		retries: retries.read(delivery),
		...readCheckSettings(delivery),
	};
}

/** Returns whether deliveries must carry the secret. */
export function verifies(context: Context): boolean {
	return verifyDeliveries.read(deliveryOptions.read(triggerScope(context)));
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

/** Throws NodeOperationError if the node has no credential: n8n's own error would say that it needs none. */
export function assertHasCredential(context: Context): void {
	const { name, credentials } = context.getNode();
	if (credentials?.[CREDENTIAL]) return;
	throw parameterError(
		{ context },
		`The node '${name}' has no credential`,
		"Choose one in the node. Only 'Sample Events' work without it.",
	);
}

/** Returns whether "Execute step" gets samples instead of waiting for a call. */
export function isSampling(context: Context): boolean {
	return context.getMode() === 'manual' && wantsSamples(context);
}

/** Returns whether Sample Events is on, which affects only manual executions. */
export function wantsSamples(context: Context): boolean {
	return sampleEvents.read(triggerScope(context));
}
