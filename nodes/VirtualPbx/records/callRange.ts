import type { IDataObject } from 'n8n-workflow';

import type { CallLegs } from './call';
import { areBothEnds, firstLegOf } from './call';
import { cdrSeconds, cdrTime } from './cdr';
import { isPlacedAlone } from './placed';

const HOUR_MS = 3_600_000;

/** How far beyond a range its calls are looked for legs. */
export const MARGIN_MS = 2 * HOUR_MS;
/** How far apart the legs of a call may lie, when it is looked for by its Bridge-ID or without a first leg. */
export const REACH_MS = 24 * HOUR_MS;
/** A call without a first leg may still go on as long as this. */
const RUNNING_MS = HOUR_MS;
/** A call rang before it was talked on, and the PBX may find its legs by another time than the one they tell. */
const RINGING_MS = HOUR_MS;

/** A range of time in Unix milliseconds, its end excluded. */
export interface Span {
	from: number;
	to: number;
}

/** What calls are looked for, and what was read for it. */
export interface Sought {
	/** Calls of this time are wanted. */
	wanted: Span;
	/** Records of this time are known. */
	known: Span;
	/** Unix milliseconds. */
	now: number;
	/** Whether the account's calls have a first leg, see `haveInboundLegs`. */
	haveFirstLegs: boolean | undefined;
	/** Whether those that colleagues place have one, see `havePlacedFirstLegs`. */
	havePlacedFirstLegs: boolean;
}

/** Whether a call belongs to a range; `open` where legs that are not known may decide it, or belong to the call. */
export type Verdict = 'in' | 'out' | 'open';

/**
 * The time by which a call belongs to one range only, whatever is cut where: that of the leg that began it; where there is none, or
 * it tells no time, of the earliest leg.
 *
 * @param legs oldest first
 * @returns Unix milliseconds; undefined when no leg tells a time
 */
export function timeOfCall(legs: readonly IDataObject[]): number | undefined {
	const first = firstTimeOf(legs);
	return first ?? timesOf(legs)?.earliest;
}

function firstTimeOf(legs: readonly IDataObject[]): number | undefined {
	const first = firstLegOf(legs);
	return first === undefined ? undefined : cdrTime(first);
}

/** Unix milliseconds. */
interface Times {
	earliest: number;
	latest: number;
}

/** The times of the earliest and the latest leg in Unix milliseconds; undefined when no leg tells a time. */
export function timesOf(legs: readonly IDataObject[]): Times | undefined {
	let earliest = Infinity;
	let latest = -Infinity;
	for (const leg of legs) {
		const time = cdrTime(leg) ?? NaN;
		if (time < earliest) earliest = time;
		if (time > latest) latest = time;
	}
	return earliest > latest ? undefined : { earliest, latest };
}

/**
 * Decides whether a call belongs to the range that is wanted. A call that seems to have no first leg may have one further away
 * than anything that was read, or may still go on: its first leg is recorded when it is over.
 *
 * @param legs those that are known, at least one, oldest first
 */
export function verdictOf({ bridgeId, legs }: CallLegs, sought: Sought): Verdict {
	const { wanted, now } = sought;
	const at = timeOfCall(legs);
	const times = timesOf(legs);
	if (at === undefined || !times || at < wanted.from || at >= wanted.to) return 'out';
	if (bridgeId === undefined) return 'in';

	const isHeadless = firstTimeOf(legs) === undefined && !areBothEnds(legs);
	if (!isHeadless) return isKnown(times, talkMs(legs), sought) ? 'in' : 'open';
	if (mayHaveFirstLeg(legs, sought) && now - times.latest < RUNNING_MS) return 'out';
	return isKnown(times, REACH_MS, sought) ? 'in' : 'open';
}

/** Whether a call without a first leg may still get one: it is recorded when the call is over. */
function mayHaveFirstLeg(
	legs: readonly IDataObject[],
	{ haveFirstLegs, havePlacedFirstLegs }: Sought,
): boolean {
	return isPlacedAlone(legs) ? havePlacedFirstLegs : haveFirstLegs !== false;
}

/** Whether everything that far before and after some legs was read; nothing is recorded yet of what is to come. */
function isKnown({ earliest, latest }: Times, reach: number, { known, now }: Sought): boolean {
	return earliest - reach > known.from && Math.min(latest + reach, now) < known.to;
}

/** Nobody answered some legs of a long call at its beginning, and the others ended with it. */
function talkMs(legs: readonly IDataObject[]): number {
	return RINGING_MS + Math.max(...legs.map(cdrSeconds)) * 1000;
}

/** A call that belongs to a range, with its time. */
export interface CallAt extends CallLegs {
	/** As {@link timeOfCall} has it; before everything else where the PBX tells no time. */
	at: number;
}

/** Sorts calls newest first. */
export function newestCallsFirst(calls: readonly CallLegs[]): CallAt[] {
	return calls
		.map(({ bridgeId, legs }) => ({ bridgeId, legs, at: timeOfCall(legs) ?? -Infinity }))
		.sort((a, b) => (a.at === b.at ? 0 : b.at - a.at));
}
