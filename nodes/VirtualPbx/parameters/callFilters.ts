import type {
	IDataObject,
	IDisplayOptions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { CallFilters } from '../calls/filter';
import type { Outcome } from '../calls/outcome';
import { causeCode, END_OUTCOMES, HANGUP_CAUSES, hangupWords } from '../calls/outcome';
import type { CallType } from '../calls/parties';
import { CALL_TYPES } from '../calls/parties';
import { compareTexts, isObject, isOn } from '../util/json';
import { findNoNumber, readNumberMatch } from '../util/numbers';
import type { NumberMatch } from '../util/numbers';
import type { Place } from './inputs';
import { EMPTY_FILTER, listOf, readNumber, refusal } from './inputs';
import { collectionField, FILTERS } from './options';

/** A filter by numbers, as `readNumberMatch` reads them: whole ones, and beginnings that end with `*`. */
function numbersFilter(displayName: string, name: string, description: string): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder: 'e.g. 74951234567, 7916*',
		description: `${description}. Separate multiple numbers with commas. Use * to match a prefix.`,
	};
}

/** Reads a filter by numbers, also in E.164 of a country; undefined if not added. Throws NodeOperationError for no number. */
export function readNumbersFilter(
	place: Place,
	filters: IDataObject,
	{ name, label, country }: { name: string; label: string; country?: string | undefined },
): NumberMatch | undefined {
	if (!(name in filters)) return undefined;
	const noNumber = findNoNumber(filters[name]);
	const match = noNumber === undefined ? readNumberMatch(filters[name], country) : undefined;
	if (match) return match;
	const wrong = noNumber === undefined ? 'is empty' : `has no number in ${noNumber}`;
	throw refusal(place, `${label} ${wrong}`, EMPTY_FILTER);
}

const causesFilter: INodeProperties = {
	displayName: 'Hang-Up Causes',
	name: 'hangupCauses',
	type: 'multiOptions',
	default: [],
	description: 'Only ended calls with one of these causes. To use other causes, use an expression.',
	options: HANGUP_CAUSES.map((value) => ({
		name: `${hangupWords(value)} (${value})`,
		value,
	})).sort((a, b) => compareTexts(a.name, b.name)),
};

/** The filters that every missed call passes, or none. */
const NOT_OF_MISSED = ['callType', 'minTalkSeconds', 'missed'];

/** How Filters appears in an operation or trigger. */
interface FilterScope {
	/** Where the filters of ended calls apply; everywhere by default. */
	whenEnded?: IDisplayOptions;
	/** Where single legs are judged; nowhere by default. */
	whenLegs?: IDisplayOptions;
}

/** The outcomes with which a call can end; that of a leg whose call another phone took, only where legs are judged. */
function outcomeOptions(whenLegs: IDisplayOptions | undefined): INodePropertyOptions[] {
	return END_OUTCOMES.flatMap((outcome): INodePropertyOptions[] => {
		if (outcome.value !== 'elsewhere') return [outcome];
		return whenLegs ? [{ ...outcome, displayOptions: whenLegs }] : [];
	});
}

/** The Filters collection, wherever calls are told. */
export function filtersField(
	texts: { all: string; missed?: string },
	{ whenEnded, whenLegs }: FilterScope = {},
): INodeProperties {
	const ended = whenEnded ? { displayOptions: whenEnded } : {};
	const field = collectionField(FILTERS, [
		{
			displayName: 'Call Type',
			name: 'callType',
			type: 'multiOptions',
			default: ['incoming'],
			description: 'Only calls of these types. Who placed the call decides.',
			options: CALL_TYPES.map(({ name, value, description }) => ({ name, value, description })),
		},
		numbersFilter('Called Numbers', 'to', 'Only calls to these numbers'),
		numbersFilter('Caller Numbers', 'from', 'Only calls from these numbers'),
		{
			...numbersFilter(
				'Employees',
				'employees',
				'Only calls with one of these employees: extensions, or SIP users as the PBX names them',
			),
			placeholder: 'e.g. 100, 2*',
		},
		{ ...causesFilter, ...ended },
		{
			displayName: 'Minimum Talk Time (Seconds)',
			name: 'minTalkSeconds',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 1,
			...ended,
			description:
				'Only ended calls with at least this much talk time. Missed calls are not affected.',
		},
		{
			displayName: 'Missed',
			name: 'missed',
			type: 'boolean',
			default: true,
			...ended,
			description:
				texts.missed ??
				'Whether the call must be missed, that is, incoming and answered by no person',
		},
		numbersFilter('Numbers', 'number', 'Only calls from or to these numbers'),
		{
			displayName: 'Outcomes',
			name: 'outcomes',
			type: 'multiOptions',
			default: [],
			...ended,
			description: 'Only ended calls with one of these outcomes',
			options: outcomeOptions(whenLegs),
		},
	]);
	return { ...field, description: texts.all };
}

/** The Filters collection of an operation that judges only missed calls: what can match one. */
export function missedFiltersField(all: string): INodeProperties {
	const { options = [], ...field } = filtersField({ all });
	const filters = (options as INodeProperties[]).filter(
		({ name }) => !NOT_OF_MISSED.includes(name),
	);
	return {
		...field,
		options: filters.map((filter) =>
			filter.name === 'outcomes' ? { ...filter, options: MISSED_OUTCOMES } : filter,
		),
	};
}

/** The outcomes of missed calls; voicemail unless it does not count. */
const MISSED_OUTCOMES: INodePropertyOptions[] = END_OUTCOMES.filter(
	({ value }) => value !== 'answered' && value !== 'elsewhere',
).map((outcome) =>
	outcome.value === 'voicemail'
		? { ...outcome, displayOptions: { hide: { '/options.countVoicemail': [false] } } }
		: { ...outcome },
);

/** Returns stored filters without those that {@link missedFiltersField} no longer offers. */
export function withoutUnusedFilters(filters: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(filters).filter(([name]) => !NOT_OF_MISSED.includes(name)),
	);
}

/** Whether voicemail counts, under the same name wherever missed calls are told. */
export const countVoicemailOption: INodeProperties = {
	displayName: 'Count Voicemail as Missed',
	name: 'countVoicemail',
	type: 'boolean',
	default: true,
	description:
		'Whether incoming calls answered only by the PBX itself, such as by voicemail or a menu, count as missed',
};

/**
 * Reads a Filters collection and {@link countVoicemailOption}, whose choices have been checked; numbers may also be
 * written in E.164 of a country. Throws NodeOperationError that names a filter which is empty or cannot be used.
 */
export function readCallFilters(
	place: Place,
	given: { filters: unknown; options: unknown; country: string | undefined },
): CallFilters {
	const { country } = given;
	const { countVoicemail = true } = isObject(given.options) ? given.options : {};
	const filters = isObject(given.filters) ? given.filters : {};
	const { minTalkSeconds = 0 } = filters;
	const read = (name: string, label: string, inCountry = country) =>
		readNumbersFilter(place, filters, { name, label, country: inCountry });
	return {
		number: read('number', 'Numbers'),
		from: read('from', 'Caller Numbers'),
		to: read('to', 'Called Numbers'),
		employees: readNumbersFilter(place, filters, { name: 'employees', label: 'Employees' }),
		callTypes: listOf(filters.callType) as CallType[],
		causes: listOf(filters.hangupCauses).flatMap((cause) => causeCode(cause) ?? []),
		outcomes: listOf(filters.outcomes) as Outcome[],
		missed: 'missed' in filters ? isOn(filters.missed) : undefined,
		minTalkSeconds: readNumber(place, minTalkSeconds, 'Minimum Talk Time', {
			least: 0,
			remedy: 'Correct the filter, or remove it.',
		}),
		countVoicemail: isOn(countVoicemail),
	};
}
