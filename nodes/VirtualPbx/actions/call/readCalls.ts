import type { RecordedCall } from '../../calls/record';
import { groupByCall, lacksFirstLeg, MAX_PAUSE_MS } from '../../calls/record';
import type { Pbx } from '../../pbx/client';
import { gregorianToUnixMs } from '../../util/time';

/** A search for calls (§4.3), in Gregorian seconds. `to` is exclusive. */
export interface CallsQuery {
	from: number;
	to: number;
	/** Excludes calls before they count toward the limit. Legs are oldest first. */
	keep?: ((call: RecordedCall) => boolean) | undefined;
}

const DAY = 86_400;
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
