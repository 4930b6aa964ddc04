import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { countryOption } from '../../fields/country';
import type { ItemContext } from '../../fields/inputs';
import { refusal } from '../../fields/inputs';
import { optionsField, readAccountId, readOption } from '../../fields/options';
import { readTimeRange, timeRangeFields } from '../../fields/timeRange';
import { cdrText } from '../../records/cdr';
import type { CdrQuery } from '../../records/readCdrs';
import { cdrFilterFields, readCdrFilters } from './filters';

/** After, Before, and Filters, for operations that read records of any calls. */
export const searchFields: INodeProperties[] = [
	...timeRangeFields({
		after: 'as far back as the PBX goes',
		before: 'now',
	}),
	cdrFilterFields,
];

/** How many hours to request at once, for ranges that may be long. */
const hoursField: INodeProperties = {
	displayName: 'Hours per Request',
	name: 'hoursPerRequest',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description:
		'How many hours of a long range to request at once. The node joins the parts, newest first. With 0, it splits a range only if the PBX refuses it.',
};

/** Options of such an operation. */
export const searchOptions: INodeProperties = optionsField(countryOption, hoursField);

/**
 * Reads {@link searchFields} and {@link searchOptions} (§4.3).
 *
 * @param country in which numbers may also be written in E.164
 * @throws NodeOperationError for a wrong range, filter, or number of hours
 */
export function readSearch(at: ItemContext, country?: string): CdrQuery {
	const range = readTimeRange(at);
	const { query, caller } = readCdrFilters(at, range, country);
	const keep = (record: IDataObject) =>
		!caller || caller(cdrText(record, 'CALLER_ID_NUMBER') ?? '');
	return {
		...range,
		windowSeconds: readWindow(at),
		itemIndex: at.itemIndex,
		accountId: readAccountId(at.context, at.itemIndex),
		filters: query,
		keep,
	};
}

/**
 * Reads {@link hoursField}.
 *
 * @returns seconds; 0 for a range that is not to be split
 * @throws NodeOperationError for anything but a number of hours
 */
export function readWindow(at: ItemContext): number {
	const value = readOption(at.context, at.itemIndex, 'hoursPerRequest') ?? 0;
	const given = Number(value);
	if (given === 0 || (given >= 1 / 60 && Number.isFinite(given))) return Math.round(given * 3600);
	throw refusal(at, 'Hours per Request must be 0 or more', 'Correct this option, or remove it.');
}
