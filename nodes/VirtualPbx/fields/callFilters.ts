import type { IDataObject, IDisplayOptions, INode, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { compareTexts } from '../values/json';
import { causeCode, HANGUP_CAUSES, hangupWords } from '../values/hangupCause';
import { readNumberMatch } from '../values/numbers';
import type { NumberMatch } from '../values/numbers';
import type { Outcome } from '../values/outcome';
import { END_OUTCOMES } from '../values/outcome';
import { EMPTY_FILTER } from './inputs';
import { filtersCollection } from './options';

/** A filter by numbers, as `readNumberMatch` reads them: whole ones, and beginnings that end with `*`. */
export function numbersFilter(
	displayName: string,
	name: string,
	description: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder: 'e.g. 74951234567, 7916*',
		description: `${description}. Separate multiple numbers with commas. Use * to match a prefix.`,
	};
}

/**
 * Reads one {@link numbersFilter} of a Filters collection.
 *
 * @param filter its name and label, and the country in which numbers may also be written in E.164
 * @returns undefined for a filter that is not added
 * @throws NodeOperationError that names a filter which is added, but empty: without it, everything would be given
 */
export function readNumbersFilter(
	context: { getNode(): INode },
	filters: IDataObject,
	{ name, label, country }: { name: string; label: string; country?: string | undefined },
): NumberMatch | undefined {
	const match = readNumberMatch(filters[name], country);
	if (match || !(name in filters)) return match;
	throw new NodeOperationError(context.getNode(), `${label} is empty`, {
		description: EMPTY_FILTER,
	});
}

/**
 * Reads the filters by numbers that all Filters collections have.
 *
 * @param country in which numbers may also be written in E.164
 * @throws as {@link readNumbersFilter}
 */
export function readNumberFilters(
	context: { getNode(): INode },
	filters: IDataObject,
	country?: string,
): Record<'number' | 'from' | 'to', NumberMatch | undefined> {
	const read = (name: string, label: string) =>
		readNumbersFilter(context, filters, { name, label, country });
	return {
		number: read('number', 'Numbers'),
		from: read('from', 'Caller Numbers'),
		to: read('to', 'Called Numbers'),
	};
}

/** A filter by direction as the switch sees it (§2.4, §6). */
export const directionFilter: INodeProperties = {
	displayName: 'Direction',
	name: 'direction',
	type: 'options',
	default: 'inbound',
	description: 'Only legs with this direction, as the PBX sees it',
	options: [
		{ name: 'Inbound', value: 'inbound' },
		{ name: 'Outbound', value: 'outbound' },
	],
};

/** A filter by calls between extensions. */
export const internalFilter: INodeProperties = {
	displayName: 'Internal Calls',
	name: 'internalCalls',
	type: 'options',
	default: 'exclude',
	description: 'Whether to include calls between two extensions (numbers with at most five digits)',
	options: [
		{ name: 'Exclude', value: 'exclude' },
		{ name: 'Only', value: 'only' },
	],
};

/** Reads {@link internalFilter} of a Filters collection; undefined when it is not added. */
export function readInternalFilter({ internalCalls }: IDataObject): 'exclude' | 'only' | undefined {
	return internalCalls === 'exclude' || internalCalls === 'only' ? internalCalls : undefined;
}

/**
 * A filter by hang-up causes.
 *
 * @param when where it applies; everywhere by default
 */
function causesFilter(when?: IDisplayOptions): INodeProperties {
	return {
		displayName: 'Hang-Up Causes',
		name: 'hangupCauses',
		type: 'multiOptions',
		default: [],
		...(when ? { displayOptions: when } : {}),
		description:
			'Only ended calls with one of these causes. To use other causes, use an expression.',
		options: HANGUP_CAUSES.map((value) => ({
			name: `${hangupWords(value)} (${value})`,
			value,
		})).sort((a, b) => compareTexts(a.name, b.name)),
	};
}

/** Reads {@link causesFilter} of a Filters collection: codes in capitals, none where it is not added. */
export function readCausesFilter({ hangupCauses }: IDataObject): string[] {
	return listOf(hangupCauses)
		.map(causeCode)
		.filter((code) => code !== undefined);
}

/**
 * A filter by how calls went.
 *
 * @param when where it applies; everywhere by default
 */
export function outcomesFilter(when?: IDisplayOptions): INodeProperties {
	return {
		displayName: 'Outcomes',
		name: 'outcomes',
		type: 'multiOptions',
		default: [],
		...(when ? { displayOptions: when } : {}),
		description: 'Only ended calls with one of these outcomes',
		options: END_OUTCOMES.map(({ name, value, description }) => ({ name, value, description })),
	};
}

/**
 * Reads {@link outcomesFilter} of a Filters collection; none where it is not added.
 *
 * @param itemIndex where an operation reads it
 * @throws NodeOperationError that names the filter, for an outcome that calls do not end with
 */
export function readOutcomesFilter(
	context: { getNode(): INode },
	{ outcomes }: IDataObject,
	itemIndex?: number,
): Outcome[] {
	return listOf(outcomes).map((entry) => {
		const known = END_OUTCOMES.find(({ value }) => value === entry.toLowerCase());
		if (known) return known.value;
		throw new NodeOperationError(context.getNode(), `Outcomes: "${entry}" is not known`, {
			...(itemIndex === undefined ? {} : { itemIndex }),
			description: `Use one or more of ${END_OUTCOMES.map(({ value }) => value).join(', ')}.`,
		});
	});
}

/**
 * A filter by talk time in seconds.
 *
 * @param when where it applies; everywhere by default
 */
export function talkTimeFilter(description: string, when?: IDisplayOptions): INodeProperties {
	return {
		displayName: 'Minimum Talk Time',
		name: 'minTalkSeconds',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1,
		...(when ? { displayOptions: when } : {}),
		description,
	};
}

/** The entries of a list that an expression may also give as text with commas. */
function listOf(value: unknown): string[] {
	const entries: unknown[] = Array.isArray(value) ? value : String(value ?? '').split(',');
	return entries.map((entry) => String(entry ?? '').trim()).filter(Boolean);
}

/**
 * The Filters collection of a trigger.
 *
 * @param texts what the collection and its Minimum Talk Time say
 * @param whenEnded where the filters of ended calls apply; everywhere by default
 */
export function filtersField(
	texts: { all: string; talkTime: string },
	whenEnded?: IDisplayOptions,
): INodeProperties {
	return filtersCollection(
		[
			numbersFilter('Called Numbers', 'to', 'Only calls to these numbers'),
			numbersFilter('Caller Numbers', 'from', 'Only calls from these numbers'),
			directionFilter,
			causesFilter(whenEnded),
			internalFilter,
			talkTimeFilter(texts.talkTime, whenEnded),
			numbersFilter('Numbers', 'number', 'Only calls from or to these numbers'),
			outcomesFilter(whenEnded),
		],
		{ description: texts.all },
	);
}
