import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { readCallFilters } from '../../parameters/callFilters';
import { refuseWrongChoice } from '../../parameters/choices';
import { readNumber, refusal } from '../../parameters/inputs';
import type { Presentation } from '../../parameters/output';
import { readFileField } from '../../parameters/output';
import type { Pbx } from '../../pbx/client';
import { messageOf } from '../../pbx/errors/meanings';
import { isObject, isOn } from '../../util/json';
import { readInstant } from '../../util/time';
import { accountIn } from '../runtime/settings';
import type { EventKind } from './candidates';
import { callRecordFields, DEFAULTS } from './fields';

/** The parameters of the record trigger, read and checked. */
export interface Settings extends Presentation {
	kind: EventKind;
	simplify: boolean;
	/** The binary field for recordings; undefined not to attach them. */
	attachTo: string | undefined;
	giveUpMs: number;
	firstRun: { kind: 'now' } | { kind: 'last'; count: number } | { kind: 'since'; at: number };
	filters: ReturnType<typeof readCallFilters>;
	maxItems: number;
	/** How far the PBX's records may be late and its clock off. */
	overlapMs: number;
	accountId: string | undefined;
}

/** What a poll works with. */
export interface PollContext {
	context: IPollFunctions;
	pbx: Pbx;
	settings: Settings;
	/** Unix milliseconds from which on it begins nothing new; what was found until then is given. */
	endsAt: number;
	/** How long two polls may lie apart by the poll times; undefined where these do not tell. */
	intervalMs?: number | undefined;
}

const MINUTE_MS = 60_000;

/** Reads the parameters, before anything is sent; throws a NodeOperationError that names the parameter. */
export function readSettings(context: IPollFunctions, country: string | undefined): Settings {
	const read = (name: string) => evaluate(context, name);
	const values = Object.fromEntries(
		['event', 'firstRun', 'filters', 'options'].map((name) => [name, read(name)]),
	);
	refuseWrongChoice(context, callRecordFields, values as IDataObject);
	const { filters, options } = values;
	const { overlapMinutes, maxItems, includeDetails } = { ...DEFAULTS, ...objectOf(options) };
	const number = (label: string, value: unknown, least: number) =>
		readNumber({ context }, value, label, { least });
	const kind = values.event as EventKind;
	const isRecording = kind === 'recordingReady';
	return {
		kind,
		country,
		includeDetails: isOn(includeDetails),
		simplify: isOn(read('simplify')),
		attachTo:
			isRecording && isOn(read('downloadRecording'))
				? readFileField({ context }, read('binaryPropertyName'))
				: undefined,
		giveUpMs: isRecording
			? number('Give Up After (Minutes)', read('giveUpMinutes'), 0) * MINUTE_MS
			: 0,
		firstRun: readFirstRun(context),
		filters: readCallFilters({ context }, { filters, options, country }),
		maxItems: Math.ceil(number('Max Items per Run', maxItems, 1)),
		overlapMs: number('Overlap (Minutes)', overlapMinutes, 1) * MINUTE_MS,
		accountId: accountIn(objectOf(options)),
	};
}

/** Reads a parameter; n8n's error for an expression does not name it. */
function evaluate(context: IPollFunctions, name: string): unknown {
	const field = callRecordFields.find((one) => one.name === name);
	try {
		return context.getNodeParameter(name, field?.default as string);
	} catch (error) {
		const message = `${field?.displayName} cannot be evaluated: ${messageOf(error)}`;
		throw refusal({ context }, message, 'Correct the expression.');
	}
}

function objectOf(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

function readFirstRun(context: IPollFunctions): Settings['firstRun'] {
	const kind = evaluate(context, 'firstRun') as Settings['firstRun']['kind'];
	if (kind === 'now') return { kind };
	if (kind === 'last') {
		const count = evaluate(context, 'lastCount');
		return {
			kind,
			count: Math.ceil(readNumber({ context }, count, 'Number of Calls', { least: 1 })),
		};
	}
	const at = readInstant(evaluate(context, 'since'), context.getTimezone());
	if (at === undefined) throw refusal({ context }, 'Since cannot be used', 'Pick a date and time.');
	return { kind, at };
}
