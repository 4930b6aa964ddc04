import type { IDataObject, IPollFunctions, NodeOperationError } from 'n8n-workflow';

import { readCountryChoice } from '../../fields/country';
import { settingError } from '../../fields/inputs';
import {
	readCausesFilter,
	readInternalFilter,
	readNumberFilters,
	readOutcomesFilter,
} from '../../fields/callFilters';
import { RECORD_DEFAULTS } from './fields';
import type { Waits } from './advance';
import type { CallFilters } from '../../records/callFilter';
import type { UnitKind } from './units';
import { asText, isObject, isOn } from '../../values/json';
import { readInstant } from '../../values/time';

/** The parameters of the record trigger, read and checked. */
export interface Settings extends Waits {
	kind: UnitKind;
	simplify: boolean;
	/** The binary field for recordings; undefined not to attach them. */
	attachTo: string | undefined;
	giveUpMs: number;
	firstLegMs: number;
	firstRun: { kind: 'now' } | { kind: 'last'; count: number } | { kind: 'since'; at: number };
	filters: CallFilters;
	maxItems: number;
	accountId: string | undefined;
	/** In whose form numbers come; undefined to keep them as they are. */
	country?: string | undefined;
}

const KINDS: Record<string, UnitKind> = {
	newCall: 'call',
	newCallRecord: 'record',
	recordingReady: 'recording',
};

/**
 * Reads the parameters of the record trigger.
 *
 * @param credentialCountry the country of the credential, for a node that follows it
 * @throws NodeOperationError that names the parameter, before anything is sent
 */
export function readSettings(context: IPollFunctions, credentialCountry?: string): Settings {
	const read = (name: string, fallback: unknown) =>
		context.getNodeParameter(name, fallback as string) as unknown;
	const options = objectOf(read('options', {}));
	const kind = KINDS[String(read('event', RECORD_DEFAULTS.event))];
	if (kind === undefined) throw wrong(context, 'Event', 'Choose one from the list.');
	const number = (label: string, value: unknown, least: number) =>
		numberFrom(context, label, value, least);
	const option = (name: 'overlapMinutes' | 'settleSeconds' | 'firstLegMinutes' | 'maxItems') =>
		options[name] ?? RECORD_DEFAULTS[name];
	const choice = readCountryChoice(context, options.country);
	const country = choice === 'credential' ? credentialCountry : choice.code;
	return {
		kind,
		country,
		simplify: isOn(read('simplify', true)),
		attachTo: attachTo(context, read),
		giveUpMs:
			number('Give Up After', read('giveUpMinutes', RECORD_DEFAULTS.giveUpMinutes), 0) * MINUTE,
		firstRun: readFirstRun(context, read),
		filters: readFilters(context, objectOf(read('filters', {})), country),
		maxItems: Math.ceil(number('Max Items per Run', option('maxItems'), 1)),
		overlapMs: number('Overlap', option('overlapMinutes'), 1) * MINUTE,
		settleMs: number('Settle Time', option('settleSeconds'), 0) * 1000,
		firstLegMs: number('Wait for First Leg', option('firstLegMinutes'), 0) * MINUTE,
		accountId: asText(asText(options.accountId)?.trim()),
	};
}

const MINUTE = 60_000;

type Read = (name: string, fallback: unknown) => unknown;

function objectOf(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

function attachTo(context: IPollFunctions, read: Read): string | undefined {
	if (!isOn(read('downloadRecording', false))) return undefined;
	const field = String(read('binaryPropertyName', RECORD_DEFAULTS.binaryPropertyName) ?? '').trim();
	if (field === '')
		throw wrong(
			context,
			'Put Output File in Field',
			'Enter the name of the binary field, for example data.',
		);
	return field;
}

function readFirstRun(context: IPollFunctions, read: Read): Settings['firstRun'] {
	const choice = read('firstRun', RECORD_DEFAULTS.firstRun);
	if (choice === 'last') {
		const count = numberFrom(
			context,
			'Number of Calls',
			read('lastCount', RECORD_DEFAULTS.lastCount),
			1,
		);
		return { kind: 'last', count: Math.ceil(count) };
	}
	if (choice !== 'since') return { kind: 'now' };
	const at = readInstant(read('since', ''), context.getTimezone());
	if (at === undefined) throw wrong(context, 'Since', 'Pick a date and time.');
	return { kind: 'since', at };
}

function readFilters(
	context: IPollFunctions,
	given: IDataObject,
	country: string | undefined,
): CallFilters {
	return {
		...readNumberFilters(context, given, country),
		internal: readInternalFilter(given),
		direction: asText(given.direction)?.trim().toLowerCase(),
		causes: readCausesFilter(given),
		outcomes: readOutcomesFilter(context, given),
		minTalkSeconds: numberFrom(context, 'Minimum Talk Time', given.minTalkSeconds ?? 0, 0),
	};
}

function numberFrom(context: IPollFunctions, label: string, value: unknown, least: number): number {
	const number = value === '' || value === null ? NaN : Number(value);
	if (Number.isFinite(number) && number >= least) return number;
	throw wrong(context, label, `Enter a number of at least ${least}.`);
}

function wrong(context: IPollFunctions, label: string, description: string): NodeOperationError {
	return settingError(context, `${label} cannot be used`, description);
}
