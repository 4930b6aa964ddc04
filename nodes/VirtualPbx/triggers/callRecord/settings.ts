import type { IExecuteFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { CallOutput } from '../../calls/call';
import type { CallFilters } from '../../calls/filter';
import { readCallFilters } from '../../parameters/callFilters';
import { accountId, countVoicemail, includeDetails } from '../../parameters/options';
import { simplify } from '../../parameters/output';
import type { Scope } from '../../parameters/parameter';
import { itemScope, parameterError, triggerScope } from '../../parameters/parameter';
import { readTime } from '../../parameters/timeRange';
import type { Pbx } from '../../pbx/client';
import { messageOf } from '../../pbx/errors/meanings';
import type { EventKind } from './candidates';
import * as parameters from './parameters';

/** A trigger, or its node in a test run. */
export type RecordContext = ITriggerFunctions | IExecuteFunctions;

/** The validated parameters of the record trigger. */
export interface Settings extends CallOutput {
	kind: EventKind;
	/** Whether each candidate starts an execution of its own. */
	isPerCall: boolean;
	simplify: boolean;
	/** The country whose format numbers are shown in; undefined to leave them unchanged. */
	country: string | undefined;
	/** Whether the PBX records only the legs to phones. */
	hasOnlyPhoneLegs: boolean;
	/** The binary field for recordings; undefined to attach none. */
	attachTo: string | undefined;
	/** How long to wait for a recording. */
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

/** The settings of one check or test run. */
export interface Check {
	context: RecordContext;
	pbx: Pbx;
	settings: Settings;
	/** When to stop starting downloads, in Unix milliseconds. Recordings found until then are returned. */
	endsAt: number;
}

const MAX_ATTEMPTS = 3;
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
		const failed = parameters.callRecordParameters.find(({ property }) => property.name === name);
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
	const kind = parameters.event.read(scope);
	const added = parameters.options.read(scope);
	const isRecording = kind === 'recordingReady';
	return {
		kind,
		country,
		hasOnlyPhoneLegs,
		isPerCall: parameters.startWorkflow.read(scope) === 'perCall',
		includeDetails: includeDetails.read(added),
		simplify: simplify.read(scope),
		attachTo:
			isRecording && parameters.downloadRecording.read(scope)
				? parameters.recordingFile.read(scope)
				: undefined,
		waitMs: isRecording ? parameters.waitMinutes.read(scope) * MINUTE_MS : 0,
		firstRun: readFirstRun(scope),
		filters: readCallFilters(parameters.filters.read(scope), added, country),
		countVoicemail: countVoicemail.read(added),
		maxItems: parameters.maxItems.read(added),
		lookBackMs: parameters.lookBackMinutes.read(added) * MINUTE_MS,
		maxAttempts: parameters.tryAgain.read(added) ? MAX_ATTEMPTS : 1,
		accountId: accountId.read(added),
	};
}

function readFirstRun(scope: Scope): Settings['firstRun'] {
	const kind = parameters.firstRun.read(scope);
	if (kind === 'now') return { kind };
	if (kind === 'last') return { kind, count: parameters.lastCount.read(scope) };
	const timeZone = (scope.context as RecordContext).getTimezone();
	const at = readTime(scope, timeZone, parameters.since, parameters.since.read(scope));
	return { kind, at };
}
