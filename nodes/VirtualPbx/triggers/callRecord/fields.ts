import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { countryOption } from '../../fields/country';
import { optionsField } from '../../fields/options';
import { filtersField } from '../../fields/callFilters';

/** The defaults below once more, for reading: n8n leaves defaults out of saved workflows. A test keeps them alike. */
export const RECORD_DEFAULTS = {
	event: 'newCall',
	firstRun: 'now',
	lastCount: 10,
	giveUpMinutes: 60,
	binaryPropertyName: 'data',
	overlapMinutes: 120,
	settleSeconds: 15,
	firstLegMinutes: 60,
	maxItems: 500,
} as const;

const forRecordings: IDisplayOptions = { show: { event: ['recordingReady'] } };
const forCalls: IDisplayOptions = { show: { '/event': ['newCall'] } };

const event: INodeProperties = {
	displayName: 'Event',
	name: 'event',
	type: 'options',
	default: 'newCall',
	description: 'What starts the workflow',
	options: [
		{
			name: 'New Call',
			value: 'newCall',
			description: 'One item per call that has ended, with all its legs',
		},
		{
			name: 'New Call Record',
			value: 'newCallRecord',
			description: 'One item per call record (CDR), that is, per leg of a call',
		},
		{
			name: 'Recording Ready',
			value: 'recordingReady',
			description: 'One item per recording, as soon as the file is available',
		},
	],
};

const recordingFields: INodeProperties[] = [
	{
		displayName: 'Download Recording',
		name: 'downloadRecording',
		type: 'boolean',
		default: false,
		description: 'Whether to attach the file to the item',
		displayOptions: forRecordings,
	},
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		hint: 'The name of the output binary field to put the file in',
		displayOptions: { show: { event: ['recordingReady'], downloadRecording: [true] } },
	},
	{
		displayName: 'Give Up After (Minutes)',
		name: 'giveUpMinutes',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 60,
		description:
			'How long to wait for the file of a recording. After that, the item comes without the file, and recordingReady is false.',
		displayOptions: forRecordings,
	},
];

const firstRunFields: INodeProperties[] = [
	{
		displayName: 'Start With',
		name: 'firstRun',
		type: 'options',
		default: 'now',
		description:
			'Which calls to return in the first run after you publish the workflow for the first time. Later runs continue where the last one stopped.',
		options: [
			{ name: 'Calls From Now On', value: 'now' },
			{ name: 'Calls Since a Date', value: 'since' },
			{ name: 'The Last Calls', value: 'last' },
		],
	},
	{
		displayName: 'Since',
		name: 'since',
		type: 'dateTime',
		default: '',
		description: 'All calls from this time on, oldest first',
		displayOptions: { show: { firstRun: ['since'] } },
	},
	{
		displayName: 'Number of Calls',
		name: 'lastCount',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 10,
		description: 'How many of the latest calls of the last 31 days to return',
		displayOptions: { show: { firstRun: ['last'] } },
	},
];

const filters = filtersField({
	all: 'Only calls that match all filters start the workflow. The first leg of a call counts.',
	talkTime: 'Only calls with at least this many seconds of talk time',
});

const options = optionsField(
	countryOption,
	{
		displayName: 'Max Items per Run',
		name: 'maxItems',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 500,
		description: 'How many items to return per run. The next runs return the rest.',
	},
	{
		displayName: 'Overlap (Minutes)',
		name: 'overlapMinutes',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 120,
		description:
			'How far each run looks back for late records. It must cover your longest call plus the difference between the clocks of the PBX and n8n.',
	},
	{
		displayName: 'Settle Time (Seconds)',
		name: 'settleSeconds',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 15,
		description: 'How long to wait for more legs before a call starts the workflow',
		displayOptions: forCalls,
	},
	{
		displayName: 'Wait for First Leg (Minutes)',
		name: 'firstLegMinutes',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 60,
		description:
			'How long to wait for the inbound leg of a call before the call starts the workflow without it. If the calls of your account have no inbound leg, the trigger detects this and stops waiting.',
		displayOptions: forCalls,
	},
);

/** The inputs of the record trigger. */
export const callRecordFields: INodeProperties[] = [
	event,
	...recordingFields,
	...firstRunFields,
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
	filters,
	options,
];
