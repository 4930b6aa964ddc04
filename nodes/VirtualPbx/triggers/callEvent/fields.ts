import type { INodeProperties } from 'n8n-workflow';

import { EVENTS } from '../../events/table';
import {
	accountOption,
	checkEveryOption,
	deliveryUrlOption,
	errorWorkflowOption,
} from '../../fields/options';
import {
	causesFilter,
	directionFilter,
	internalFilter,
	numbersFilter,
} from '../../fields/callFilters';

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
			description: 'Only legs that come in to the exchange',
		},
		{
			name: 'Once per Call',
			value: 'oncePerCall',
			description:
				"Only the call's first leg. If your PBX reports outbound legs only, and these name an inbound leg, choose Outbound Legs.",
		},
		{
			name: 'Outbound Legs',
			value: 'outbound',
			description: 'Only legs that go out from the exchange',
		},
	],
};

const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	description: 'What else must hold. Events that are filtered out start no execution.',
	options: [
		numbersFilter('Called Numbers', 'to', 'Only calls to these numbers'),
		numbersFilter('Caller Numbers', 'from', 'Only calls from these numbers'),
		directionFilter,
		causesFilter(ENDED),
		internalFilter,
		{
			displayName: 'Minimum Talk Time',
			name: 'minTalkSeconds',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 1,
			displayOptions: ENDED,
			description:
				'Only ended calls with at least so many seconds of talk. Missed calls are not affected.',
		},
		numbersFilter('Numbers', 'number', 'Only calls from or to these numbers'),
	],
};

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
				'Whether each check also calls the webhook URL of this trigger, to find out whether it leads here. Starts no execution. Switch it off if this n8n cannot call its own public address.',
		},
		checkEveryOption(
			'checks its webhooks and makes them right again, for example when the PBX has switched one off',
		),
		{
			displayName: 'Count Mailbox as Missed',
			name: 'exchangeIsMissed',
			type: 'boolean',
			default: false,
			displayOptions: { show: { '/events': ['missed'] } },
			description:
				'Whether Call Missed also takes calls that only the exchange itself has answered, such as a mailbox or a menu',
		},
		{
			displayName: 'Count Outgoing Calls as Missed',
			name: 'outgoingIsMissed',
			type: 'boolean',
			default: false,
			displayOptions: { show: { '/events': ['missed'] } },
			description: 'Whether an unanswered call that a colleague placed also counts as missed',
		},
		{
			displayName: 'Custom Data (JSON)',
			name: 'customData',
			type: 'json',
			default: '{}',
			placeholder: 'e.g. {"office": "Riga"}',
			description: 'Static data that the PBX puts into every event',
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
				'Whether "Execute step" gets a sample of every chosen event at once, without a call',
		},
		{
			displayName: 'Skip URL Check',
			name: 'skipUrlCheck',
			type: 'boolean',
			default: false,
			description: 'Whether to register a URL even if the PBX seems unable to reach it',
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
			'Whether an event that the PBX delivers again is dropped if it has started the workflow already',
	},
	{
		displayName: 'Verify Deliveries',
		name: 'verifyDeliveries',
		type: 'boolean',
		default: true,
		description: 'Whether deliveries must carry the secret that was registered with the webhook',
	},
	{
		displayName:
			'Anyone who learns the URL can now forge calls. Switch Verify Deliveries off only if your PBX does not put custom data into events.',
		name: 'verifyNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { verifyDeliveries: [false] } },
	},
	filters,
	options,
];
