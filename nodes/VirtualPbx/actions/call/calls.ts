import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { filtersField, missedFiltersField, readCallFilters } from '../../parameters/callFilters';
import type { ItemContext } from '../../parameters/inputs';
import { readParameter, readText, refusal } from '../../parameters/inputs';
import { readAccountId } from '../../parameters/options';
import type { TimeRange } from '../../parameters/timeRange';
import {
	gregorianSoon,
	periodFields,
	readPeriod,
	readTimeRange,
	timeRangeFields,
} from '../../parameters/timeRange';
import { cdrText } from '../../pbx/cdrs/cdrFields';
import { readTimedCdrs } from '../../pbx/cdrs/readCdrs';
import type { Pbx } from '../../pbx/client';
import { isObject } from '../../util/json';
import type { CallsQuery } from './readCalls';

const DAY = 86_400;
const DEFAULT_DAYS = 31;
/** The longest range that calls are read of, in seconds. */
export const LONGEST_RANGE = 366 * DAY;

const period = periodFields({
	after: `${DEFAULT_DAYS} days before Before, and at most ${LONGEST_RANGE / DAY}`,
	before: 'one hour from now',
});

/** Period and Filters of operations that read the calls of a time. */
export const callsFields: INodeProperties[] = [
	...period,
	filtersField({ all: 'Only calls that match all filters' }),
];

/** Period and Filters of operations that read only missed calls. */
export const missedCallsFields: INodeProperties[] = [
	...period,
	missedFiltersField('Only missed calls that match all filters'),
];

/**
 * Reads {@link callsFields}, or {@link missedCallsFields}, of which `offered` picks the filters. Throws NodeOperationError
 * for a wrong range, and for a filter that cannot be used.
 */
export function readCallsQuery(
	at: ItemContext,
	country: string | undefined,
	offered: (filters: IDataObject) => IDataObject = (filters) => filters,
): { query: CallsQuery; filters: ReturnType<typeof readCallFilters> } {
	const given = readParameter(at, 'filters', {});
	const filters = readCallFilters(at, {
		filters: isObject(given) ? offered(given) : given,
		options: readParameter(at, 'options', {}),
		country,
	});
	const { from, to } = filledIn(readPeriod(at), DEFAULT_DAYS * DAY);
	if (to - from > LONGEST_RANGE) {
		throw refusal(
			at,
			`After is more than ${LONGEST_RANGE / DAY} days before Before`,
			'Choose a later After, or read the range in parts.',
		);
	}
	return { query: { from, to, accountId: readAccountId(at) }, filters };
}

/** A range with both ends: to one hour from now (clocks differ), and from so many seconds before its end. */
function filledIn(range: TimeRange, seconds: number): { from: number; to: number } {
	const to = range.to ?? Math.max(gregorianSoon(), range.from ?? 0);
	return { from: range.from ?? to - seconds, to };
}

/** The ID of a call (Bridge-ID, §6) with a range around now, for operations that look for one call. */
export const callSearchFields: INodeProperties[] = [
	{
		displayName: 'Call ID',
		name: 'callId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 8a3f1c2e@10.0.0.5',
		description:
			'ID that all legs of the call share: callId of an event, call, or call record (BRIDGE_ID)',
	},
	...timeRangeFields({ after: 'one day before Before', before: 'one hour from now' }),
];

/** What to look for: read and checked before anything is sent. */
interface CallSearch extends Omit<CallsQuery, 'keep'> {
	callId: string;
}

/** Reads {@link callSearchFields}; the PBX searches by Bridge-ID only within a range (§4.3.3). Throws NodeOperationError. */
export function readCallSearch(at: ItemContext): CallSearch {
	const hint = 'Use the callId of a call event, call, or call record.';
	const callId = readText(at, readParameter(at, 'callId', ''), 'Call ID', hint);
	return { callId, ...filledIn(readTimeRange(at), DAY), accountId: readAccountId(at) };
}

/**
 * Reads the legs of one call (GET `cdrs` with `filter_bridge_id`, §4.3), also where the PBX ignores the filter. Where it
 * finds nothing by it, as a stock platform does, which compares fields as they are stored, all records of the range are
 * read.
 */
export async function readLegs(pbx: Pbx, search: CallSearch): Promise<IDataObject[]> {
	const { callId, ...place } = search;
	const keep = (record: IDataObject) => isSameBridge(cdrText(record, 'BRIDGE_ID') ?? '', callId);
	const filtered = { ...place, keep, filters: { filter_bridge_id: callId } };
	const { records } = await readTimedCdrs(pbx, filtered);
	return records.length > 0 ? records : (await readTimedCdrs(pbx, { ...place, keep })).records;
}

/** Compares `<id>@<address>` (§2.4); where one of the two lacks the address, the ID alone counts. */
function isSameBridge(one: string, other: string): boolean {
	const isWhole = one.includes('@') && other.includes('@');
	return isWhole ? one === other : one.split('@')[0] === other.split('@')[0];
}

/** The error for a call that has no record in the range. */
export function noSuchCall(at: ItemContext, { callId }: CallSearch): Error {
	return refusal(
		at,
		`There is no record of the call ${callId} in this time range`,
		'A call is recorded only after it has ended. For older calls, set After and Before around the call.',
	);
}
