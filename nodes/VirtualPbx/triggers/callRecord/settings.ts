import type { IPollFunctions } from 'n8n-workflow';

import type { CallOutput } from '../../calls/call';
import type { CallFilters } from '../../calls/filter';
import { readCallFilters } from '../../parameters/callFilters';
import { assertChoices } from '../../parameters/choices';
import { accountId, countVoicemail, includeDetails } from '../../parameters/options';
import { simplify } from '../../parameters/output';
import type { Scope } from '../../parameters/parameter';
import { parameterError, triggerScope } from '../../parameters/parameter';
import { readTime } from '../../parameters/timeRange';
import type { Pbx } from '../../pbx/client';
import { messageOf } from '../../pbx/errors/meanings';
import type { EventKind } from './candidates';
import * as parameters from './parameters';

/** The validated parameters of the record trigger. */
export interface Settings extends CallOutput {
	kind: EventKind;
	simplify: boolean;
	/** The country whose format numbers are shown in; undefined to leave them unchanged. */
	country: string | undefined;
	/** The binary field for recordings; undefined to attach none. */
	attachTo: string | undefined;
	giveUpMs: number;
	firstRun: { kind: 'now' } | { kind: 'last'; count: number } | { kind: 'since'; at: number };
	filters: CallFilters;
	maxItems: number;
	/** How late the PBX's records can be, and how far off its clock. */
	overlapMs: number;
	accountId: string | undefined;
}

/** The context of one poll. */
export interface PollContext {
	context: IPollFunctions;
	pbx: Pbx;
	settings: Settings;
	/** When to stop starting new work, in Unix milliseconds. Items found until then are returned. */
	endsAt: number;
	/** The longest time between two polls by the poll times; undefined if these don't show it. */
	intervalMs?: number | undefined;
}

const MINUTE_MS = 60_000;

/** Reads the parameters without sending anything. Throws NodeOperationError naming the invalid one. */
export function readSettings(context: IPollFunctions, country: string | undefined): Settings {
	const scope = namingScope(context);
	assertChoices(scope, [
		parameters.event,
		parameters.firstRun,
		parameters.filters,
		parameters.options,
	]);
	const kind = parameters.event.read(scope);
	const added = parameters.options.read(scope);
	const isRecording = kind === 'recordingReady';
	return {
		kind,
		country,
		includeDetails: includeDetails.read(added),
		simplify: simplify.read(scope),
		attachTo:
			isRecording && parameters.downloadRecording.read(scope)
				? parameters.recordingFile.read(scope)
				: undefined,
		giveUpMs: isRecording ? parameters.giveUpMinutes.read(scope) * MINUTE_MS : 0,
		firstRun: readFirstRun(context, scope),
		filters: readCallFilters(parameters.filters.read(scope), added, country),
		countVoicemail: countVoicemail.read(added),
		maxItems: parameters.maxItems.read(added),
		overlapMs: parameters.overlapMinutes.read(added) * MINUTE_MS,
		accountId: accountId.read(added),
	};
}

/** Names the parameter whose expression fails, since n8n's error doesn't. */
function namingScope(context: IPollFunctions): Scope {
	const scope = triggerScope(context);
	const get: Scope['get'] = (name, byDefault) => {
		try {
			return scope.get(name, byDefault);
		} catch (error) {
			const failed = parameters.callRecordParameters.find(({ property }) => property.name === name);
			const message = `'${failed?.property.displayName}' can't be evaluated: ${messageOf(error)}`;
			throw parameterError(scope, message, 'Correct the expression.');
		}
	};
	return { context, get };
}

function readFirstRun(context: IPollFunctions, scope: Scope): Settings['firstRun'] {
	const kind = parameters.firstRun.read(scope);
	if (kind === 'now') return { kind };
	if (kind === 'last') return { kind, count: parameters.lastCount.read(scope) };
	const at = readTime(scope, context.getTimezone(), parameters.since, parameters.since.read(scope));
	return { kind, at };
}
