import { defineFilters } from '../../parameters/callFilters';
import {
	checkEvery,
	countVoicemail,
	customData,
	defineDeliveryAttempts,
	defineOptionsCollection,
	deliveryUrl,
	includeDetailsIfSimple,
	skipUrlCheck,
	startsErrorWorkflow,
} from '../../parameters/options';
import { simplify } from '../../parameters/output';
import {
	defineBoolean,
	defineMultiOptions,
	defineOptions,
	parameterError,
} from '../../parameters/parameter';
import type { EventValue } from '../../pbx/events/table';
import { EVENTS } from '../../pbx/events/table';

const ENDED = { show: { '/events': ['ended', 'missed'] } };

export const filters = defineFilters(
	{
		all: 'Only events of calls that match all filters start the workflow',
		missed:
			"Which calls start the workflow, by whether an employee answered. If a phone rang before voicemail answered, the event doesn't show this: use the Call Record Trigger to find these calls.",
	},
	{ whenEnded: ENDED, whenLegs: { show: { '/options.legs': ['everyLeg'] } } },
);

export const dropRepeats = defineBoolean({
	displayName: 'Drop Repeated Deliveries',
	name: 'dropRepeats',
	type: 'boolean',
	default: true,
	description:
		'Whether to drop an event that the PBX delivers again if it has already started the workflow',
});

export const groupEvents = defineBoolean({
	displayName: 'Group Events',
	name: 'groupEvents',
	type: 'boolean',
	default: false,
	description:
		'Whether to start one execution with all events that arrive within 0.4 seconds, each as an item. Use it for many calls: n8n handles several times as many events.',
});

/** Which legs of a call start the workflow. Stored in workflows. */
export type LegMode = 'oncePerCall' | 'everyLeg';

export const legs = defineOptions<LegMode>({
	displayName: 'Runs per Call',
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
				"Once for the whole call. If your PBX doesn't report the caller's side, the trigger detects this from the call records.",
		},
	],
});

export const retries = defineDeliveryAttempts(
	'How many times the PBX tries to deliver an event, including the first attempt, from 1 to 4',
);

export const sampleEvents = defineBoolean({
	displayName: 'Sample Events',
	name: 'sampleEvents',
	type: 'boolean',
	default: false,
	description:
		'Whether "Execute step" returns a sample of each chosen event right away, without a call or a credential. A published workflow ignores it.',
});

export const verifyDeliveries = defineBoolean({
	displayName: 'Verify Deliveries',
	name: 'verifyDeliveries',
	type: 'boolean',
	default: true,
	description:
		"Whether deliveries must contain the webhook's secret. Turn this off only if your PBX doesn't add custom data to events: anyone who knows the URL can then forge calls.",
});

export const options = defineOptionsCollection(
	checkEvery('checks its webhooks and repairs them, for example if the PBX has disabled one'),
	countVoicemail,
	customData,
	retries,
	deliveryUrl,
	dropRepeats,
	groupEvents,
	includeDetailsIfSimple,
	legs,
	skipUrlCheck,
	startsErrorWorkflow,
	verifyDeliveries,
);

export const events = defineMultiOptions<EventValue>({
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

/** The parameters of the event trigger. */
export const callEventParameters = [events, sampleEvents, simplify, filters, options];
