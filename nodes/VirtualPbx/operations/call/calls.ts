import type { INodeProperties } from 'n8n-workflow';

import type { CallFilters } from '../../fields/callFilters';
import { filtersField, readCallFilters } from '../../fields/callFilters';
import type { ItemContext } from '../../fields/inputs';
import { refusal } from '../../fields/inputs';
import { readAccountId } from '../../fields/options';
import { gregorianSoon, periodFields, readPeriod } from '../../fields/timeRange';
import type { CallsQuery } from '../../records/readCalls';

const DAY = 86_400;
const DEFAULT_DAYS = 31;
/** The longest range that calls are read of, in seconds. */
export const LONGEST_RANGE = 366 * DAY;

/** Period and Filters of operations that read the calls of a time. */
export const callsFields: INodeProperties[] = [
	...periodFields({
		after: `${DEFAULT_DAYS} days before Before, and at most ${LONGEST_RANGE / DAY}`,
		before: 'one hour from now',
	}),
	filtersField({ all: 'Only calls that match all filters' }),
];

/**
 * Reads {@link callsFields}.
 *
 * @param country in which numbers may also be written in E.164
 * @throws NodeOperationError for a wrong range, and for a filter that is empty or cannot be used
 */
export function readCallsQuery(
	at: ItemContext,
	country: string | undefined,
): { query: CallsQuery; filters: CallFilters } {
	const { context, itemIndex } = at;
	const read = (name: string) => context.getNodeParameter(name, itemIndex, {}) as unknown;
	const filters = readCallFilters(at, {
		filters: read('filters'),
		options: read('options'),
		country,
	});
	const range = readPeriod(at);
	const to = range.to ?? Math.max(gregorianSoon(), range.from ?? 0);
	const from = range.from ?? to - DEFAULT_DAYS * DAY;
	if (to - from > LONGEST_RANGE) {
		throw refusal(
			at,
			`After is more than ${LONGEST_RANGE / DAY} days before Before`,
			'Choose a later After, or read the range in parts.',
		);
	}
	return { query: { from, to, accountId: readAccountId(context, itemIndex), itemIndex }, filters };
}
