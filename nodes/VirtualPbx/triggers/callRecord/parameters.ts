import type { CronExpression, IDisplayOptions } from 'n8n-workflow';

import { defineFilters } from '../../parameters/callFilters';
import {
	countVoicemail,
	defineOptionsCollection,
	includeDetailsIfSimple,
} from '../../parameters/options';
import { fileField, simplify } from '../../parameters/output';
import { defineBoolean, defineNumber, defineOptions, defineRaw } from '../../parameters/parameter';
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

export const waitMinutes = defineNumber({
	displayName: 'Wait for Recording (Minutes)',
	name: 'waitMinutes',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 60,
	description:
		'How long to wait for the recording file. After that, the item is returned without the file, and recordingReady is false.',
	displayOptions: forRecordings,
});

export const firstRun = defineOptions<'now' | 'last' | 'since'>({
	displayName: 'Calls to Start With',
	name: 'firstRun',
	type: 'options',
	default: 'now',
	description:
		'Which calls start the workflow when you first publish it. After that, the trigger continues where it stopped.',
	options: [
		{
			name: 'Calls Since a Date',
			value: 'since',
			description: 'All calls since then, oldest first, and every new call from now on',
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
	description: 'When the first of these calls ended',
	displayOptions: { show: { firstRun: ['since'] } },
});

export const lastCount = defineNumber({
	displayName: 'Number of Calls',
	name: 'lastCount',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 10,
	description: 'How many of the latest calls to start with, from the last 31 days',
	displayOptions: { show: { firstRun: ['last'] } },
}).map(Math.ceil);

export const filters = defineFilters(
	{ all: 'Only calls that match all filters start the workflow' },
	{ whenLegs: { show: { '/event': ['newCallRecord'] } } },
);

/** How often to check, as cron expressions with seconds. `s` and `m` are chosen per trigger to spread the load. */
const SCHEDULES = {
	tenSeconds: '*/10 * * * * *',
	minute: 's * * * * *',
	fifteenMinutes: 's */15 * * * *',
	hour: 's m * * * *',
	day: 's 0 0 * * *',
} as const;

export type Interval = keyof typeof SCHEDULES;

export const startWorkflow = defineOptions<'perCall' | 'perCheck'>({
	displayName: 'Start the Workflow',
	name: 'startWorkflow',
	type: 'options',
	default: 'perCall',
	description: 'How many calls, call records, or recordings one execution processes',
	options: [
		{
			name: 'Once per Call',
			value: 'perCall',
			description: 'An execution of its own for each one, so that a failure affects no other call',
		},
		{
			name: 'Once per Check',
			value: 'perCheck',
			description: 'One execution for all new ones together, such as for a spreadsheet or report',
		},
	],
});

/** Read without expressions, so that n8n's start can't fail because of it. */
export const checkEvery = defineOptions<Interval>({
	displayName: 'Check Every',
	name: 'checkEvery',
	type: 'options',
	noDataExpression: true,
	default: 'minute',
	description: 'How often to ask the PBX for new calls',
	options: [
		{ name: '10 Seconds', value: 'tenSeconds' },
		{ name: '15 Minutes', value: 'fifteenMinutes' },
		{ name: 'Day', value: 'day' },
		{ name: 'Hour', value: 'hour' },
		{ name: 'Minute', value: 'minute' },
	],
});

/** Returns when to check, as a cron expression. */
export function scheduleOf(interval: Interval, random = Math.random): CronExpression {
	const schedule = SCHEDULES[interval] ?? SCHEDULES.minute;
	const any = () => String(Math.floor(60 * random()));
	return schedule.replace('s', any).replace('m', any) as CronExpression;
}

export const maxItems = defineNumber({
	displayName: 'Max Items per Run',
	name: 'maxItems',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 500,
	description: 'How many items one execution gets at most. The next executions get the rest.',
	displayOptions: { show: { '/startWorkflow': ['perCheck'] } },
}).map(Math.ceil);

export const lookBackMinutes = defineNumber({
	displayName: 'Look Back (Minutes)',
	name: 'lookBackMinutes',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 120,
	description:
		'How late the PBX can write a record for the trigger to find it, and how long to wait for the record that completes a call. Must cover your longest call plus the clock difference between the PBX and n8n.',
});

export const tryAgain = defineBoolean({
	displayName: 'Try Again',
	name: 'tryAgain',
	type: 'boolean',
	default: false,
	description:
		'Whether to start the workflow again for a call whose execution failed, such as while a CRM is down: after 5 and after 30 minutes, as long as the call is within Look Back',
});

export const options = defineOptionsCollection(
	countVoicemail,
	includeDetailsIfSimple,
	lookBackMinutes,
	maxItems,
	tryAgain,
);

/** The parameters of the record trigger. */
export const callRecordParameters = [
	event,
	startWorkflow,
	checkEvery,
	downloadRecording,
	recordingFile,
	waitMinutes,
	firstRun,
	since,
	lastCount,
	simplify,
	filters,
	options,
];
