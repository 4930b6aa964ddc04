import type { IDisplayOptions } from 'n8n-workflow';

import { defineFilters } from '../../parameters/callFilters';
import { countVoicemail, defineOptionsCollection, includeDetails } from '../../parameters/options';
import { fileField, simplify } from '../../parameters/output';
import { defineBoolean, defineNumber, defineOptions, defineRaw } from '../../parameters/types';
import type { EventKind } from './candidates';

const forRecordings: IDisplayOptions = { show: { event: ['recordingReady'] } };

export const event = defineOptions<EventKind>({
	displayName: 'Event',
	name: 'event',
	type: 'options',
	default: 'newCall',
	description: 'What starts the workflow',
	options: [
		{
			name: 'New Call',
			value: 'newCall',
			description: 'One item per finished call',
		},
		{
			name: 'New Call Record',
			value: 'newCallRecord',
			description: 'One item per call record (CDR): one for the caller and one for each phone',
		},
		{
			name: 'Recording Ready',
			value: 'recordingReady',
			description: 'One item per recording, as soon as the file is available',
		},
	],
});

/** Event names by value, for the canvas. */
export const EVENT_NAMES: Record<string, string> = Object.fromEntries(
	(event.property.options ?? []).flatMap((option) =>
		'value' in option ? [[String(option.value), option.name]] : [],
	),
);

export const downloadRecording = defineBoolean({
	displayName: 'Download Recording',
	name: 'downloadRecording',
	type: 'boolean',
	default: false,
	description: 'Whether to attach the file to the item',
	displayOptions: forRecordings,
});

export const recordingFile = fileField.with({
	displayOptions: { show: { event: ['recordingReady'], downloadRecording: [true] } },
});

export const giveUpMinutes = defineNumber({
	displayName: 'Give Up After (Minutes)',
	name: 'giveUpMinutes',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 60,
	description:
		'How long to wait for the recording file. After that, the item is returned without the file, and recordingReady is false.',
	displayOptions: forRecordings,
});

export const firstRun = defineOptions<'now' | 'last' | 'since'>({
	displayName: 'Start With',
	name: 'firstRun',
	type: 'options',
	default: 'now',
	description:
		'Which calls the first run returns after you first publish the workflow. Later runs continue where the last one stopped.',
	options: [
		{
			name: 'Calls Since a Date',
			value: 'since',
			description: 'All calls since then, and every new call from now on',
		},
		{
			name: 'Most Recent Calls',
			value: 'last',
			description: 'The latest calls, and every new call from now on',
		},
		{
			name: 'New Calls Only',
			value: 'now',
			description: 'Only calls that end after you publish the workflow',
		},
	],
});

export const since = defineRaw({
	displayName: 'Since',
	name: 'since',
	type: 'dateTime',
	default: '',
	description: 'All calls from this time on, oldest first',
	displayOptions: { show: { firstRun: ['since'] } },
});

export const lastCount = defineNumber({
	displayName: 'Number of Calls',
	name: 'lastCount',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 10,
	description: 'How many of the latest calls to return, from the last 31 days',
	displayOptions: { show: { firstRun: ['last'] } },
}).map(Math.ceil);

export const filters = defineFilters(
	{ all: 'Only calls that match all filters start the workflow' },
	{ whenLegs: { show: { '/event': ['newCallRecord'] } } },
);

export const maxItems = defineNumber({
	displayName: 'Max Items per Run',
	name: 'maxItems',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 500,
	description: 'How many items to return per run. The next runs return the rest.',
}).map(Math.ceil);

export const overlapMinutes = defineNumber({
	displayName: 'Overlap (Minutes)',
	name: 'overlapMinutes',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 120,
	description:
		'How far back each run looks for late records, and how long it waits for the record that completes a call. Must cover your longest call plus the clock difference between the PBX and n8n.',
});

export const options = defineOptionsCollection(
	countVoicemail,
	includeDetails,
	maxItems,
	overlapMinutes,
);

/** The parameters of the record trigger. */
export const callRecordParameters = [
	event,
	downloadRecording,
	recordingFile,
	giveUpMinutes,
	firstRun,
	since,
	lastCount,
	simplify,
	filters,
	options,
];
