import type { IDataObject } from 'n8n-workflow';

import type { LegProfile } from '../../calls/legProfile';
import { legProfileOf, lacksFirstLeg } from '../../calls/legProfile';
import type { CallLegs } from '../../pbx/cdrs/cdr';
import { groupByCall, LONGEST_PAUSE_MS } from '../../pbx/cdrs/cdr';
import type { CdrQuery } from '../../pbx/cdrs/readCdrs';
import { readTimedCdrs } from '../../pbx/cdrs/readCdrs';
import type { Pbx } from '../../pbx/client';
import { gregorianToUnixMs } from '../../util/time';

/** A search for calls (§4.3), in Gregorian seconds; the end of the range is excluded. */
export interface CallsQuery extends Pick<CdrQuery, 'accountId'> {
	from: number;
	to: number;
	/** Leaves calls out before they count; the legs are oldest first. */
	keep?: ((legs: IDataObject[]) => boolean) | undefined;
}

const DAY = 86_400;
/** A range is read in parts of at most this length, so that the records of one part alone are in memory. */
const LONGEST_PART = 7 * DAY;
/** How far beyond a range its calls are looked for legs, in seconds. */
const MARGIN = LONGEST_PAUSE_MS / 1000;

/**
 * Reads the calls that ended in a range (GET `cdrs`, §4.3), newest first, each with its legs up to two hours beyond both
 * ends, oldest first, so that whoever reads in parts gets each call once. Calls that may still go on are left out; those
 * without a time stand last. Throws PbxError.
 */
export async function readCalls(pbx: Pbx, query: CallsQuery): Promise<CallLegs[]> {
	const { from, to, keep = () => true, ...place } = query;
	const range = { from: from - MARGIN, to: to + MARGIN };
	const { records } = await readTimedCdrs(pbx, { ...place, ...range });
	const now = Date.now();
	const profile = legProfileOf(records, now);
	const isInRange = ({ at }: CallLegs) =>
		at === -Infinity || (at >= gregorianToUnixMs(from) && at < gregorianToUnixMs(to));
	return groupByCall(records)
		.filter((call) => isInRange(call) && !mayGoOn(call, profile, now) && keep(call.legs))
		.sort((a, b) => (a.at === b.at ? 0 : b.at - a.at));
}

/** The leg that began a call is recorded when the call is over. */
function mayGoOn({ at, legs }: CallLegs, profile: LegProfile, now: number): boolean {
	return now - at < MARGIN * 1000 && lacksFirstLeg(legs, profile) === true;
}

/** Reads calls as {@link readCalls} does, in parts, some of them empty, no further back than the limit asks for. */
export async function* readCallParts(
	pbx: Pbx,
	query: CallsQuery,
	limit = Infinity,
): AsyncGenerator<CallLegs[]> {
	let left = limit;
	let length = limit === Infinity ? LONGEST_PART : DAY;
	let { to } = query;
	while (to > query.from && left > 0) {
		const from = Math.max(query.from, to - length);
		const calls = (await readCalls(pbx, { ...query, from, to })).slice(0, left);
		left -= calls.length;
		yield calls;
		to = from;
		length = Math.min(2 * length, LONGEST_PART);
	}
}
