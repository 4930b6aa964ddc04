import type { CallFilters } from '../../calls/filter';
import { lacksFirstLeg } from '../../calls/record';
import type { RecordedCall } from '../../calls/recordedCalls';
import { groupByCall, MAX_PAUSE_MS } from '../../calls/recordedCalls';
import { defineFilters, defineMissedFilters, readCallFilters } from '../../parameters/callFilters';
import { optionsIn } from '../../parameters/options';
import { employeeFiller, lookUpEmployees } from '../../parameters/output';
import type { FillEmployee } from '../../parameters/output';
import type { AddedValues, ItemScope, Parameter, ParameterGroup } from '../../parameters/parameter';
import { defineText, parameterError } from '../../parameters/parameter';
import type { TimeRange } from '../../parameters/timeRange';
import {
	definePeriod,
	defineTimeRange,
	gregorianSoon,
	readPeriod,
	readTimeRange,
} from '../../parameters/timeRange';
import type { Range } from '../../pbx/cdrs/cdr';
import type { Pbx } from '../../pbx/client';
import { gregorianToUnixMs } from '../../util/time';

const DAY = 86_400;
const DEFAULT_DAYS = 31;
/** The longest range of calls to read, in seconds. */
export const MAX_RANGE = 366 * DAY;

const period = definePeriod({
	after: `${DEFAULT_DAYS} days before 'Before'. A range can have up to ${MAX_RANGE / DAY} days`,
	before: 'one hour from now',
});

export const calls = defineCalls(defineFilters({ all: 'Only calls that match all filters' }));

export const missedCalls = defineCalls(
	defineMissedFilters('Only missed calls that match all filters'),
);

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

export function noSuchCall(at: ItemScope, search: CallSearch): Error {
	return parameterError(
		at,
		`There is no record of the call ${search.callId} in this time range`,
		"Call records exist only after a call has ended. For older calls, set 'After' and 'Before' around the call.",
	);
}

/** A search for calls (§4.3), in Gregorian seconds. `to` is exclusive. */
export interface CallsQuery {
	from: number;
	to: number;
	/** Excludes calls before they count toward the limit. Legs are oldest first. */
	keep?: ((call: RecordedCall) => boolean) | undefined;
}

/** Ranges are read in parts, so that only one part's records are in memory: from 6 hours to 7 days, in seconds. */
const PART = { shortest: DAY / 4, longest: 7 * DAY };
/** The next part is shorter after more calls than this, and longer after fewer than half. */
const MANY_CALLS = 10_000;
/** How far beyond a range to look for its calls' legs, in seconds. */
const MARGIN = MAX_PAUSE_MS / 1000;

/**
 * Reads the calls that ended in a range (GET `cdrs`, §4.3), newest first, calls without a time last. Includes legs up
 * to two hours beyond both ends, oldest first, so that reading in parts returns each call once. Excludes calls that
 * might still be going on. Throws PbxError.
 */
export async function readCalls(
	pbx: Pbx,
	{ from, to }: Pick<CallsQuery, 'from' | 'to'>,
): Promise<RecordedCall[]> {
	const records = await pbx.cdrs.list({ from: from - MARGIN, to: to + MARGIN });
	const now = Date.now();
	const isInRange = ({ at }: RecordedCall) =>
		at === -Infinity || (at >= gregorianToUnixMs(from) && at < gregorianToUnixMs(to));
	return groupByCall(records)
		.filter((call) => isInRange(call) && !mayGoOn(call, now))
		.sort((a, b) => (a.at === b.at ? 0 : b.at - a.at));
}

/** Returns whether a call might still be going on: the leg that began it is recorded only when the call ends. */
function mayGoOn({ at, legs }: RecordedCall, now: number): boolean {
	return now - at < MARGIN * 1000 && lacksFirstLeg(legs);
}

/** Reads calls as {@link readCalls} does, part by part, and stops once the limit is reached. Parts can be empty. */
export async function* readCallParts(
	pbx: Pbx,
	{ from: first, to: end, keep = () => true }: CallsQuery,
	limit = Infinity,
): AsyncGenerator<RecordedCall[]> {
	let left = limit;
	let length = limit === Infinity ? PART.longest : DAY;
	let to = end;
	while (to > first && left > 0) {
		const from = Math.max(first, to - length);
		const calls = await readCalls(pbx, { from, to });
		const kept = calls.filter(keep).slice(0, left);
		left -= kept.length;
		yield kept;
		to = from;
		if (calls.length > MANY_CALLS) length = Math.max(length / 2, PART.shortest);
		else if (calls.length < MANY_CALLS / 2) length = Math.min(2 * length, PART.longest);
	}
}

/**
 * Returns a function that fills in a call's employee, in the item itself, if the user wants it. Adds n8n's hint if the
 * PBX doesn't list any.
 */
export async function chosenEmployeeFiller(at: ItemScope, pbx: Pbx): Promise<FillEmployee> {
	if (!lookUpEmployees.read(optionsIn(at))) return (item) => item;
	return await employeeFiller(pbx, () =>
		at.context.addExecutionHints({
			message: "Your PBX doesn't list its employees, so their names and emails are missing.",
			type: 'warning',
			location: 'outputPane',
		}),
	);
}
