import type { INodeProperties } from 'n8n-workflow';

import { countVoicemailOption, filtersField } from '../../parameters/callFilters';
import {
	accountOption,
	checkEveryOption,
	CUSTOM_DATA,
	deliveryUrlOption,
	errorWorkflowOption,
	includeDetailsOption,
	skipUrlCheckOption,
} from '../../parameters/options';
import { simplifyField } from '../../parameters/output';
import { EVENTS } from '../../pbx/events/table';

const ENDED = { show: { '/events': ['ended', 'missed'] } };

const filters = filtersField(
	{
		all: 'Only events of calls that match all filters start the workflow',
		missed:
			"Whether ended calls must be missed, that is, incoming and answered by no person. If a phone rang before voicemail answered, the event can't tell; use the Call Record Trigger to find these calls.",
	},
	{ whenEnded: ENDED, whenLegs: { show: { '/options.legs': ['everyLeg'] } } },
);

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		accountOption,
		checkEveryOption(
			'checks its webhooks and repairs them, for example if the PBX has disabled one',
		),
		countVoicemailOption,
		{
			displayName: 'Custom Data (JSON)',
			name: 'customData',
			type: 'json',
			default: '{}',
			placeholder: 'e.g. {"office": "Riga"}',
			description: CUSTOM_DATA,
		},
		{
			displayName: 'Delivery Attempts',
			name: 'retries',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 4 },
			default: 2,
			description:
				'How many times the PBX tries to deliver an event, including the first attempt, from 1 to 4',
		},
		deliveryUrlOption,
		{
			displayName: 'Drop Repeated Deliveries',
			name: 'dropRepeats',
			type: 'boolean',
			default: true,
			description:
				'Whether to drop an event that the PBX delivers again if it has already started the workflow',
		},
		includeDetailsOption,
		{
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
		},
		{
			displayName: 'Sample Events',
			name: 'sampleEvents',
			type: 'boolean',
			default: false,
			description:
				'Whether "Execute step" returns a sample of each chosen event at once, without a call',
		},
		skipUrlCheckOption,
		errorWorkflowOption,
		{
			displayName: 'Verify Deliveries',
			name: 'verifyDeliveries',
			type: 'boolean',
			default: true,
			description:
				'Whether deliveries must contain the secret that was registered with the webhook. Turn this off only if your PBX does not add custom data to events: anyone who knows the URL can then forge calls.',
		},
	],
};

/** The inputs of the event trigger. */
export const callEventFields: INodeProperties[] = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['ended'],
		description:
			'The events that start the workflow. Call Missed needs the first leg of a call: if your PBX reports only outbound legs, use the Call Record Trigger.',
		options: EVENTS.map(({ name, value, description }) => ({ name, value, description })),
	},
	simplifyField,
	filters,
	options,
];
