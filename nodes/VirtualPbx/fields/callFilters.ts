import type { IDataObject, IDisplayOptions, INode, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { compareTexts } from '../values/json';
import { HANGUP_CAUSES, hangupWords } from '../values/hangupCause';
import { readNumberMatch } from '../values/numbers';
import type { NumberMatch } from '../values/numbers';
import { EMPTY_FILTER } from './inputs';

/** A filter by numbers, as `readNumberMatch` reads them: whole ones, and beginnings that end with `*`. */
function numbersFilter(displayName: string, name: string, description: string): INodeProperties {
	return {
		displayName,
		name,
		type: 'string',
		default: '',
		placeholder: 'e.g. 74951234567, 7916*',
		description: `${description}. Separate several with commas. To match the beginning, end with *.`,
	};
}

/**
 * Reads the filters by numbers of a trigger's Filters collection.
 *
 * @returns undefined for a filter that is not added
 * @throws NodeOperationError that names a filter which is added, but empty: without it, everything would be given
 */
export function readNumberFilters(
	context: { getNode(): INode },
	filters: IDataObject,
): Record<'number' | 'from' | 'to', NumberMatch | undefined> {
	const read = (name: string, label: string) => {
		const match = readNumberMatch(filters[name]);
		if (match || !(name in filters)) return match;
		throw new NodeOperationError(context.getNode(), `${label} is empty`, {
			description: EMPTY_FILTER,
		});
	};
	return {
		number: read('number', 'Numbers'),
		from: read('from', 'Caller Numbers'),
		to: read('to', 'Called Numbers'),
	};
}

/** A filter by direction as the switch sees it (§2.4, §6). */
const directionFilter: INodeProperties = {
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
const internalFilter: INodeProperties = {
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
	return {
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		description: texts.all,
		options: [
			numbersFilter('Called Numbers', 'to', 'Only calls to these numbers'),
			numbersFilter('Caller Numbers', 'from', 'Only calls from these numbers'),
			directionFilter,
			causesFilter(whenEnded),
			internalFilter,
			{
				displayName: 'Minimum Talk Time',
				name: 'minTalkSeconds',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 1,
				...(whenEnded ? { displayOptions: whenEnded } : {}),
				description: texts.talkTime,
			},
			numbersFilter('Numbers', 'number', 'Only calls from or to these numbers'),
		],
	};
}
