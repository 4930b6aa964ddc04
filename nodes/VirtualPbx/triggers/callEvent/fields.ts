import type { INodeProperties } from 'n8n-workflow';

import { EVENTS } from '../../events/table';
import { countryOption } from '../../fields/country';
import {
	accountOption,
	checkEveryOption,
	deliveryUrlOption,
	errorWorkflowOption,
} from '../../fields/options';
import { filtersField } from '../../fields/callFilters';

const ENDED = { show: { '/events': ['ended', 'missed'] } };

const legs: INodeProperties = {
	displayName: 'Legs',
	name: 'legs',
	type: 'options',
	default: 'oncePerCall',
	description:
		'Which legs of a call start the workflow. Call Missed always starts it once per call.',
	options: [
		{ name: 'Every Leg', value: 'everyLeg', description: 'Each leg of a call starts the workflow' },
		{
			name: 'Inbound Legs',
			value: 'inbound',
			description: 'Only legs that come in to the PBX',
		},
		{
			name: 'Once per Call',
			value: 'oncePerCall',
			description:
				'Only the first leg of the call. If your PBX reports only outbound legs, the trigger detects this from the call records.',
		},
		{
			name: 'Outbound Legs',
			value: 'outbound',
			description: 'Only legs that go out from the PBX',
		},
	],
};

const filters = filtersField(
	{
		all: 'Only events that match all filters start the workflow',
		talkTime:
			'Only ended calls with at least this many seconds of talk time. Missed calls are not affected.',
	},
	ENDED,
);

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		accountOption,
		{
			displayName: 'Call Own URL',
			name: 'pingsItself',
			type: 'boolean',
			default: true,
			description:
				'Whether each check also calls the webhook URL of this trigger to verify that it reaches this workflow. It starts no execution. Turn it off if this n8n cannot call its own public address.',
		},
		checkEveryOption(
			'checks its webhooks and repairs them, for example if the PBX has disabled one',
		),
		{
			displayName: 'Count Outgoing Calls as Missed',
			name: 'outgoingIsMissed',
			type: 'boolean',
			default: false,
			displayOptions: { show: { '/events': ['missed'] } },
			description: 'Whether unanswered calls from colleagues also count as missed',
		},
		{
			displayName: 'Count Voicemail as Missed',
			name: 'exchangeIsMissed',
			type: 'boolean',
			default: false,
			displayOptions: { show: { '/events': ['missed'] } },
			description:
				'Whether calls answered only by the PBX itself, such as by voicemail or a menu, also count as missed',
		},
		countryOption,
		{
			displayName: 'Custom Data (JSON)',
			name: 'customData',
			type: 'json',
			default: '{}',
			placeholder: 'e.g. {"office": "Riga"}',
			description: 'Static data that the PBX adds to every event',
		},
		deliveryUrlOption,
		{
			displayName: 'Retries',
			name: 'retries',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 4 },
			default: 2,
			description: 'How many times the PBX tries to deliver an event, from 1 to 4',
		},
		{
			displayName: 'Sample Events',
			name: 'sampleEvents',
			type: 'boolean',
			default: false,
			description:
				'Whether "Execute step" returns a sample of each chosen event at once, without a call',
		},
		{
			displayName: 'Skip URL Check',
			name: 'skipUrlCheck',
			type: 'boolean',
			default: false,
			description: 'Whether to register the URL even if the PBX seems unable to reach it',
		},
		errorWorkflowOption,
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
		description: 'The events that start the workflow',
		options: EVENTS.map(({ name, value, description }) => ({ name, value, description })),
	},
	legs,
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
	{
		displayName: 'Drop Repeated Deliveries',
		name: 'dropRepeats',
		type: 'boolean',
		default: true,
		description:
			'Whether to drop an event that the PBX delivers again if it has already started the workflow',
	},
	{
		displayName: 'Verify Deliveries',
		name: 'verifyDeliveries',
		type: 'boolean',
		default: true,
		description: 'Whether deliveries must contain the secret that was registered with the webhook',
	},
	{
		displayName:
			'Anyone who knows the URL can now forge calls. Turn off Verify Deliveries only if your PBX does not add custom data to events.',
		name: 'verifyNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { verifyDeliveries: [false] } },
	},
	filters,
	options,
];
