import type {
	CronExpression,
	IDisplayOptions,
	IExecuteFunctions,
	ITriggerFunctions,
} from 'n8n-workflow';

import type { CallOutput } from '../../calls/call';
import type { CallFilters } from '../../calls/filter';
import { defineFilters, readCallFilters } from '../../parameters/callFilters';
import {
	accountId,
	countVoicemail,
	defineOptionsCollection,
	includeDetails,
	includeDetailsIfSimple,
} from '../../parameters/options';
import { lookUpEmployees, fileField, simplify } from '../../parameters/output';
import type { Scope } from '../../parameters/parameter';
import {
	defineBoolean,
	defineNumber,
	defineOptions,
	defineRaw,
	itemScope,
	parameterError,
	triggerScope,
} from '../../parameters/parameter';
import { readTime } from '../../parameters/timeRange';
import type { Pbx } from '../../pbx/client';
import { messageOf } from '../../pbx/errors/meanings';

/** The kinds of things that start the workflow, each once. */
export type EventKind = 'newCall' | 'newCallRecord' | 'recordingReady';

const forRecordings: IDisplayOptions = { show: { event: ['recordingReady'] } };

const event = defineOptions<EventKind>({
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
			name: 'New Call Record (CDR)',
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

const downloadRecording = defineBoolean({
	displayName: 'Download Recording',
	name: 'downloadRecording',
	type: 'boolean',
	default: false,
	description: 'Whether to attach the file to the item',
	displayOptions: forRecordings,
});

const recordingFile = fileField.with({
	displayOptions: { show: { event: ['recordingReady'], downloadRecording: [true] } },
});

const waitMinutes = defineNumber({
	displayName: 'Wait for Recording (Minutes)',
	name: 'waitMinutes',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 60,
	description:
		'How long to wait for the recording file. After that, the item is returned without the file, and recordingReady is false.',
	displayOptions: forRecordings,
});

const firstRun = defineOptions<'now' | 'last' | 'since'>({
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

const since = defineRaw({
	displayName: 'Since',
	name: 'since',
	type: 'dateTime',
	default: '',
	description: 'When the first of these calls ended',
	displayOptions: { show: { firstRun: ['since'] } },
});

const lastCount = defineNumber({
	displayName: 'Number of Calls',
	name: 'lastCount',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 10,
	description: 'How many of the latest calls to start with, from the last 31 days',
	displayOptions: { show: { firstRun: ['last'] } },
}).map(Math.ceil);

const filters = defineFilters(
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

const startWorkflow = defineOptions<'perCall' | 'perCheck'>({
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

const maxItems = defineNumber({
	displayName: 'Max Items per Execution',
	name: 'maxItems',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 500,
	description: 'How many items one execution gets at most. The next executions get the rest.',
	displayOptions: { show: { '/startWorkflow': ['perCheck'] } },
}).map(Math.ceil);

const lookBackMinutes = defineNumber({
	displayName: 'Look Back (Minutes)',
	name: 'lookBackMinutes',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 120,
	description:
		'How late the PBX can write a record for the trigger to find it, and how long to wait for the record that completes a call. Must cover your longest call plus the clock difference between the PBX and n8n.',
});

const tryAgain = defineBoolean({
	displayName: 'Try Again',
	name: 'tryAgain',
	type: 'boolean',
	default: false,
	description:
		'Whether to start the workflow again for a call whose execution failed, such as while a CRM is down: after 5 and after 30 minutes, as long as the call is within Look Back',
});

const options = defineOptionsCollection(
	...[countVoicemail, includeDetailsIfSimple, lookBackMinutes],
	...[lookUpEmployees, maxItems, tryAgain],
);

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

export type RecordContext = ITriggerFunctions | IExecuteFunctions;

export interface Settings extends CallOutput {
	kind: EventKind;
	/** Whether each candidate starts an execution of its own. */
	isPerCall: boolean;
	simplify: boolean;
	/** Whether to fill in each call's employee from the PBX's list. */
	looksUpEmployees: boolean;
	/** The country whose format numbers are shown in; undefined to leave them unchanged. */
	country: string | undefined;
	/** Whether the PBX records only the legs to phones. */
	hasOnlyPhoneLegs: boolean;
	/** The binary field for recordings; undefined to attach none. */
	attachTo: string | undefined;
	waitMs: number;
	firstRun: { kind: 'now' } | { kind: 'last'; count: number } | { kind: 'since'; at: number };
	filters: CallFilters;
	/** For one execution. */
	maxItems: number;
	/** How late the PBX's records can be, and how far off its clock. */
	lookBackMs: number;
	/** How often to start the workflow for a call, the first time included. */
	maxAttempts: number;
	accountId: string | undefined;
}

export interface Check {
	context: RecordContext;
	pbx: Pbx;
	settings: Settings;
	/** When to stop starting downloads, in Unix milliseconds. Recordings found until then are returned. */
	endsAt: number;
}

const MINUTE_MS = 60_000;

/**
 * Returns where a trigger's parameters are read. Evaluates each once, since n8n evaluates expressions only while it
 * publishes. Names the parameter whose expression fails, since n8n's error doesn't.
 */
export function recordScope(context: RecordContext): Scope {
	const scope = 'emit' in context ? triggerScope(context) : itemScope(context, 0);
	const known = new Map<string, { value?: unknown; error?: unknown }>();
	const evaluate = (name: string, byDefault: unknown) => {
		try {
			return { value: scope.get(name, byDefault) };
		} catch (error) {
			return { error };
		}
	};
	const get: Scope['get'] = (name, byDefault) => {
		const read: { value?: unknown; error?: unknown } = known.get(name) ?? evaluate(name, byDefault);
		known.set(name, read);
		if (read.error === undefined) return read.value;
		const failed = callRecordParameters.find(({ property }) => property.name === name);
		const message = `'${failed?.property.displayName}' can't be evaluated: ${messageOf(read.error)}`;
		throw parameterError(scope, message, 'Correct the expression.');
	};
	return { context, get };
}

/** Reads the parameters without sending anything. Throws NodeOperationError naming the invalid one. */
export function readSettings(
	scope: Scope,
	{ country, hasOnlyPhoneLegs }: Pick<Settings, 'country' | 'hasOnlyPhoneLegs'>,
): Settings {
	const kind = event.read(scope);
	const added = options.read(scope);
	const isRecording = kind === 'recordingReady';
	return {
		kind,
		country,
		hasOnlyPhoneLegs,
		isPerCall: startWorkflow.read(scope) === 'perCall',
		includeDetails: includeDetails.read(added),
		simplify: simplify.read(scope),
		looksUpEmployees: lookUpEmployees.read(added),
		attachTo: isRecording && downloadRecording.read(scope) ? recordingFile.read(scope) : undefined,
		waitMs: isRecording ? waitMinutes.read(scope) * MINUTE_MS : 0,
		firstRun: readFirstRun(scope),
		filters: readCallFilters(filters.read(scope), added, country),
		countVoicemail: countVoicemail.read(added),
		maxItems: maxItems.read(added),
		lookBackMs: lookBackMinutes.read(added) * MINUTE_MS,
		maxAttempts: tryAgain.read(added) ? 3 : 1,
		accountId: accountId.read(added),
	};
}

function readFirstRun(scope: Scope): Settings['firstRun'] {
	const kind = firstRun.read(scope);
	if (kind === 'now') return { kind };
	if (kind === 'last') return { kind, count: lastCount.read(scope) };
	const timeZone = (scope.context as RecordContext).getTimezone();
	const at = readTime(scope, timeZone, since, since.read(scope));
	return { kind, at };
}
