import type { IDisplayOptions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { CallFilters } from '../calls/filter';
import type { Outcome } from '../calls/outcome';
import { causeCode, END_OUTCOMES, HANGUP_CAUSES, hangupWords } from '../calls/outcome';
import type { CallType } from '../calls/parties';
import { CALL_TYPES } from '../calls/parties';
import { compareTexts } from '../util/json';
import type { NumberMatch } from '../util/phone';
import { findInvalidNumber, readNumberMatch } from '../util/phone';
import { countVoicemail } from './options';
import type { AddedValues, Parameter } from './parameter';
import {
	defineCollection,
	defineMultiOptions,
	defineNumber,
	defineOptions,
	defineRaw,
	EMPTY_FILTER,
	FILTERS,
	parameterError,
} from './parameter';

/** Defines a filter by numbers: full ones, or prefixes that end with `*`. */
function defineNumbers(
	displayName: string,
	name: string,
	description: string,
	placeholder = 'e.g. 12125550123, 1212*',
): Parameter {
	return defineRaw({
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder,
		description: `${description}. Separate them with commas. Use * to match a prefix.`,
	});
}

/**
 * Reads a filter by numbers, including E.164 of a country; undefined if not added. Throws NodeOperationError for an
 * invalid number.
 */
export function readNumbers(
	filter: Parameter,
	filters: AddedValues,
	country?: string,
): NumberMatch | undefined {
	const { name, displayName } = filter.property;
	if (!(name in filters.values)) return undefined;
	const given = filters.values[name];
	const noNumber = findInvalidNumber(given);
	const match = noNumber === undefined ? readNumberMatch(given, country) : undefined;
	if (match) return match;
	const wrong = noNumber === undefined ? 'is empty' : `has no number in ${noNumber}`;
	throw parameterError(filters, `'${displayName}' ${wrong}`, EMPTY_FILTER);
}

const callType = defineMultiOptions<CallType>({
	displayName: 'Call Type',
	name: 'callType',
	type: 'multiOptions',
	default: ['incoming'],
	description: 'Only calls of these types, based on who placed the call',
	options: CALL_TYPES.map(({ name, value, description }) => ({ name, value, description })),
});

const to = defineNumbers('Called Numbers', 'to', 'Only calls to these numbers');
const from = defineNumbers('Caller Numbers', 'from', 'Only calls from these numbers');
const number = defineNumbers(
	'Caller or Called Numbers',
	'number',
	'Only calls from or to these numbers',
);
const employees = defineNumbers(
	'Employees',
	'employees',
	'Only calls with these employees: extensions, or SIP user names',
	'e.g. 100, 2*',
);

const hangupCauses = defineMultiOptions({
	displayName: 'Hang-Up Causes',
	name: 'hangupCauses',
	type: 'multiOptions',
	default: [],
	description: 'Only ended calls with one of these causes. To use other causes, use an expression.',
	options: HANGUP_CAUSES.map((value) => ({
		name: `${hangupWords(value)} (${value})`,
		value,
	})).sort((a, b) => compareTexts(a.name, b.name)),
	isOpen: true,
});

const minTalkSeconds = defineNumber({
	displayName: 'Minimum Talk Time (Seconds)',
	name: 'minTalkSeconds',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1,
	description: "Only ended calls with at least this much talk time. Missed calls aren't affected.",
	remedy: 'Correct the filter, or remove it.',
});

/** Without this filter, missed calls and all others match. */
const missed = defineOptions<'only' | 'without'>({
	displayName: 'Missed Calls',
	name: 'missed',
	type: 'options',
	default: 'only',
	description: 'Which calls to choose by whether an employee answered',
	options: [
		{
			name: 'All but Missed Calls',
			value: 'without',
			description: 'Calls that someone answered, and calls that employees placed',
		},
		{
			name: 'Only Missed Calls',
			value: 'only',
			description: 'Incoming calls that no one answered',
		},
	],
});

const outcomes = defineMultiOptions<Outcome>({
	displayName: 'Outcomes',
	name: 'outcomes',
	type: 'multiOptions',
	default: [],
	description: 'Only ended calls with one of these outcomes',
	options: END_OUTCOMES.filter(({ value }) => value !== 'elsewhere'),
});

interface FilterTexts {
	all: string;
	missed?: string;
}

interface FilterScope {
	/** Where the filters of ended calls apply; everywhere by default. */
	whenEnded?: IDisplayOptions;
	/** Where single legs are judged, so that another phone can have taken a leg's call; nowhere by default. */
	whenLegs?: IDisplayOptions;
}

/** Defines the Filters collection for nodes and operations that return calls. */
export function defineFilters(
	texts: FilterTexts,
	{ whenEnded, whenLegs }: FilterScope = {},
): Parameter<AddedValues> {
	const ended: Partial<INodeProperties> = whenEnded ? { displayOptions: whenEnded } : {};
	const ofLegs = (outcome: INodePropertyOptions): INodePropertyOptions =>
		whenLegs && outcome.value === 'elsewhere' ? { ...outcome, displayOptions: whenLegs } : outcome;
	return defineCollection(FILTERS, [
		callType,
		to,
		from,
		employees,
		hangupCauses.with(ended),
		minTalkSeconds.with(ended),
		missed.with({ ...ended, ...(texts.missed !== undefined && { description: texts.missed }) }),
		number,
		outcomes.with({ ...ended, ...(whenLegs && { options: END_OUTCOMES.map(ofLegs) }) }),
	]).with({ description: texts.all });
}

/** Defines the Filters collection for missed calls only, without filters that none can match. */
export function defineMissedFilters(description: string): Parameter<AddedValues> {
	const missedOutcomes = outcomes.with({ options: MISSED_OUTCOMES });
	return defineCollection(FILTERS, [to, from, employees, hangupCauses, number, missedOutcomes])
		.with({ description })
		.map((added) => {
			missedOutcomes.readIfAdded(added);
			return added;
		});
}

/** The outcomes of missed calls; voicemail only if it counts. */
const MISSED_OUTCOMES: INodePropertyOptions[] = END_OUTCOMES.filter(
	({ value }) => value !== 'answered' && value !== 'elsewhere',
).map((outcome) =>
	outcome.value === 'voicemail'
		? { ...outcome, displayOptions: { hide: { '/options.countVoicemail': [false] } } }
		: { ...outcome },
);

/** Returns what the chosen calls are: missed, not missed, or either. */
function isMissedOf(chosen: 'only' | 'without' | undefined): boolean | undefined {
	return chosen === undefined ? undefined : chosen === 'only';
}

/**
 * Reads a Filters collection and {@link countVoicemail}. Numbers can be in E.164 of
 * a country. Throws NodeOperationError naming an empty or invalid filter.
 */
export function readCallFilters(
	filters: AddedValues,
	options: AddedValues,
	country: string | undefined,
): CallFilters {
	return {
		number: readNumbers(number, filters, country),
		from: readNumbers(from, filters, country),
		to: readNumbers(to, filters, country),
		employees: readNumbers(employees, filters),
		callTypes: callType.readIfAdded(filters) ?? [],
		causes: (hangupCauses.readIfAdded(filters) ?? []).flatMap((cause) => causeCode(cause) ?? []),
		outcomes: outcomes.readIfAdded(filters) ?? [],
		missed: isMissedOf(missed.readIfSet(filters)),
		minTalkSeconds: minTalkSeconds.readIfSet(filters) ?? 0,
		countVoicemail: countVoicemail.read(options),
	};
}
