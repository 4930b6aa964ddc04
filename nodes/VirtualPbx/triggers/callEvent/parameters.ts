import { defineFilters } from '../../parameters/callFilters';
import {
	checkEvery,
	countVoicemail,
	customData,
	defineDeliveryAttempts,
	defineOptionsCollection,
	deliveryUrl,
	includeDetails,
	skipUrlCheck,
	startsErrorWorkflow,
} from '../../parameters/options';
import { simplify } from '../../parameters/output';
import { parameterError } from '../../parameters/parameter';
import { defineBoolean, defineMultiOptions, defineOptions } from '../../parameters/types';
import { EVENTS } from '../../pbx/events/table';
import type { EventValue } from '../../pbx/events/table';

const ENDED = { show: { '/events': ['ended', 'missed'] } };

export const filters = defineFilters(
	{
		all: 'Only events of calls that match all filters start the workflow',
		missed:
			"Whether ended calls must be missed, that is, incoming and answered by no person. If a phone rang before voicemail answered, the event can't tell; use the Call Record Trigger to find these calls.",
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

/** Which legs of a call start the workflow. Stored in workflows. */
export type LegMode = 'oncePerCall' | 'everyLeg';

export const legs = defineOptions<LegMode>({
	displayName: 'Legs',
	name: 'legs',
	type: 'options',
	default: 'oncePerCall',
	description:
		'Which legs of a call start the workflow. Call Missed always starts it once per call.',
	options: [
		{
			name: 'Every Leg',
			value: 'everyLeg',
			description: 'Each leg of a call, for example to know whose phone rings',
		},
		{
			name: 'Once per Call',
			value: 'oncePerCall',
			description:
				'Only the first leg of the call. If your PBX reports only outbound legs, the trigger detects this from the call records.',
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
		'Whether "Execute step" returns a sample of each chosen event at once, without a call',
});

export const verifyDeliveries = defineBoolean({
	displayName: 'Verify Deliveries',
	name: 'verifyDeliveries',
	type: 'boolean',
	default: true,
	description:
		'Whether deliveries must contain the secret that was registered with the webhook. Turn this off only if your PBX does not add custom data to events: anyone who knows the URL can then forge calls.',
});

export const options = defineOptionsCollection(
	checkEvery('checks its webhooks and repairs them, for example if the PBX has disabled one'),
	countVoicemail,
	customData,
	retries,
	deliveryUrl,
	dropRepeats,
	includeDetails,
	legs,
	sampleEvents,
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
		'The events that start the workflow. Call Missed needs the first leg of a call: if your PBX reports only outbound legs, use the Call Record Trigger.',
	options: EVENTS.map(({ name, value, description }) => ({ name, value, description })),
}).map((given, place) => {
	const chosen = EVENTS.map((row) => row.value).filter((event) => given.includes(event));
	if (chosen.length > 0) return chosen;
	throw parameterError(
		place,
		'Events is empty',
		'Choose at least one event that starts the workflow.',
	);
});

/** The parameters of the event trigger. */
export const callEventParameters = [events, simplify, filters, options];
