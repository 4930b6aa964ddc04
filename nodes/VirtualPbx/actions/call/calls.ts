import type { CallFilters } from '../../calls/filter';
import { defineFilters, defineMissedFilters, readCallFilters } from '../../parameters/callFilters';
import { optionsIn } from '../../parameters/options';
import type { AddedValues, ItemScope, Parameter, ParameterGroup } from '../../parameters/parameter';
import { parameterError } from '../../parameters/parameter';
import type { TimeRange } from '../../parameters/timeRange';
import {
	definePeriod,
	defineTimeRange,
	gregorianSoon,
	readPeriod,
	readTimeRange,
} from '../../parameters/timeRange';
import { defineText } from '../../parameters/types';
import type { Range } from '../../pbx/cdrs/cdr';
import type { CallsQuery } from './readCalls';

const DAY = 86_400;
const DEFAULT_DAYS = 31;
/** The longest range of calls to read, in seconds. */
export const MAX_RANGE = 366 * DAY;

const period = definePeriod({
	after: `${DEFAULT_DAYS} days before 'Before'. A range can have up to ${MAX_RANGE / DAY} days`,
	before: 'one hour from now',
});

/** Period and Filters of operations that read calls. */
export const calls = defineCalls(defineFilters({ all: 'Only calls that match all filters' }));

/** Period and Filters of operations that read missed calls. */
export const missedCalls = defineCalls(
	defineMissedFilters('Only missed calls that match all filters'),
);

/** The calls to read, and the filters they must pass. */
interface Calls {
	query: CallsQuery;
	filters: CallFilters;
}

function defineCalls(filters: Parameter<AddedValues>) {
	return {
		period,
		filters,
		/** Throws NodeOperationError for an invalid range or filter. */
		read: (at: ItemScope, country: string | undefined): Calls => {
			const read = readCallFilters(filters.read(at), optionsIn(at), country);
			return { query: readQuery(at), filters: read };
		},
	};
}

function readQuery(at: ItemScope): CallsQuery {
	const { from, to } = filledIn(readPeriod(at), DEFAULT_DAYS * DAY);
	// A little more: an empty 'Before' is an hour ahead, and two expressions read the clock twice.
	if (to - from > MAX_RANGE + DAY / 12) {
		throw parameterError(
			at,
			`'After' is more than ${MAX_RANGE / DAY} days before 'Before'`,
			"Choose a later 'After', or read the range in parts.",
		);
	}
	return { from, to };
}

/** Fills in open ends: `to` one hour ahead, since clocks differ, and `from` the given seconds before `to`. */
function filledIn(range: TimeRange, seconds: number): { from: number; to: number } {
	const to = range.to ?? Math.max(gregorianSoon(), range.from ?? 0);
	return { from: range.from ?? to - seconds, to };
}

const callId = defineText({
	displayName: 'Call ID',
	name: 'callId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 8a3f1c2e@10.0.0.5',
	description: 'ID of the call: callId of an event, call, or call record (BRIDGE_ID in raw data)',
	remedy: 'Use the callId of a call event, call, or call record.',
});

/** A search for one call, validated before anything is sent. */
interface CallSearch {
	range: Range;
	callId: string;
}

/**
 * Call ID (Bridge-ID, §6) and a range around now, for operations that look for one call. The PBX searches by Bridge-ID
 * only within a range (§4.3.3).
 */
export const callSearch: ParameterGroup<CallSearch> = {
	parameters: [
		callId,
		...defineTimeRange({ after: "24 hours before 'Before'", before: 'one hour from now' }),
	],
	read: (at) => ({ callId: callId.read(at), range: filledIn(readTimeRange(at), DAY) }),
};

/** Creates the error for a call without a record in the range. */
export function noSuchCall(at: ItemScope, search: CallSearch): Error {
	return parameterError(
		at,
		`There is no record of the call ${search.callId} in this time range`,
		"Call records exist only after a call has ended. For older calls, set 'After' and 'Before' around the call.",
	);
}
