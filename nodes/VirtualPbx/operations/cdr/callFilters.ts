import type { IDataObject } from 'n8n-workflow';

import {
	directionFilter,
	internalFilter,
	numbersFilter,
	outcomesFilter,
	readInternalFilter,
	readNumberFilters,
	readNumbersFilter,
	readOutcomesFilter,
	talkTimeFilter,
} from '../../fields/callFilters';
import type { ItemContext } from '../../fields/inputs';
import { refusal } from '../../fields/inputs';
import { filtersCollection } from '../../fields/options';
import { passes } from '../../records/callFilter';
import { employeeOfCall } from '../../records/summary';
import { asText, isObject } from '../../values/json';

/** The filters of operations that give calls. */
export const callFilterFields = filtersCollection([
	numbersFilter('Called Numbers', 'to', 'Only calls to these numbers'),
	numbersFilter('Caller Numbers', 'from', 'Only calls from these numbers'),
	directionFilter,
	{
		...numbersFilter(
			'Employees',
			'employees',
			'Only calls with one of these employees: extensions, or SIP users as the PBX names them',
		),
		placeholder: 'e.g. 100, 2*',
	},
	internalFilter,
	talkTimeFilter('Only calls with at least this many seconds of talk time'),
	numbersFilter('Numbers', 'number', 'Only calls from or to these numbers'),
	outcomesFilter(),
]);

/** Tells whether a call is wanted, by its legs, oldest first. */
export type KeepCall = (legs: readonly IDataObject[]) => boolean;

/**
 * Reads {@link callFilterFields}.
 *
 * @returns undefined where every call is wanted
 * @throws NodeOperationError for a filter that is empty, or has a value that cannot be used
 */
export function readCallFilters(at: ItemContext, country?: string): KeepCall | undefined {
	const values = at.context.getNodeParameter('filters', at.itemIndex, {}) as unknown;
	const given = isObject(values) ? values : {};
	if (Object.keys(given).length === 0) return undefined;

	const employees = readNumbersFilter(at.context, given, { name: 'employees', label: 'Employees' });
	const filters = {
		...readNumberFilters(at.context, given, country),
		internal: readInternalFilter(given),
		direction: asText(given.direction)?.trim().toLowerCase(),
		causes: [],
		outcomes: readOutcomesFilter(at.context, given, at.itemIndex),
		minTalkSeconds: readTalkTime(at, given.minTalkSeconds),
	};
	return (legs) =>
		passes(legs, filters) && (employees === undefined || employees(employeeOfCall(legs) ?? ''));
}

function readTalkTime(at: ItemContext, value: unknown): number {
	const seconds = value === '' || value === null ? NaN : Number(value ?? 0);
	if (Number.isFinite(seconds) && seconds >= 0) return seconds;
	throw refusal(
		at,
		'Minimum Talk Time must be a number of at least 0',
		'Correct the filter, or remove it.',
	);
}
