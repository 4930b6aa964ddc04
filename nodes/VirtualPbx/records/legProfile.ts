import type { IDataObject } from 'n8n-workflow';

import type { Leg } from '../calls/leg';
import { goesOut } from '../calls/leg';
import { firstLegOf, isOwnPhone } from '../calls/parties';
import { areExtensions } from '../values/numbers';
import { groupByCall, legOfCdr, sideOf } from './cdr';

/** Which calls have a record of the leg that began them (seen in the field); absent where the records do not tell. */
export interface LegProfile {
	hasFirstLegs?: boolean;
	/** The same for calls that colleagues place to numbers outside. */
	hasPlacedFirstLegs?: boolean;
}

/** So many calls without a first leg tell that there are none. */
const ENOUGH_CALLS = 3;
/** All legs of a call are recorded so long after its end. */
const RECORDED_MS = 30_000;
/** Legs of two people who talked with each other end at the same moment, give or take. */
const SAME_END_MS = 5000;

/**
 * Tells from an account's records which of its calls have a first leg: one such leg says so, and some calls that were
 * talked on and lack it say that there is none. A click-to-call, which never has one, says nothing. `now` is in Unix
 * milliseconds.
 */
export function legProfileOf(records: readonly IDataObject[], now: number): LegProfile {
	const calls = groupByCall(records).map(({ legs }) => legs.map(legOfCdr));
	const isOver = ({ at, side }: Leg) => now - (at ?? now) >= RECORDED_MS && side === 'called';
	const lacking = calls.filter(
		(legs) =>
			legs[0]?.callId !== undefined &&
			legs.every(isOver) &&
			legs.some(isTalkedOn) &&
			!areBothEnds(legs),
	);
	const placed = lacking.filter(isPlacedAlone).length;
	const isFirstSeen = records.some((record) => sideOf(record) !== 'called');
	return {
		...verdict('hasFirstLegs', isFirstSeen, lacking.length - placed),
		...verdict('hasPlacedFirstLegs', calls.some(isPlacedWithFirst), placed),
	};
}

function verdict(name: keyof LegProfile, isSeen: boolean, lacking: number): LegProfile {
	if (isSeen) return { [name]: true };
	return lacking >= ENOUGH_CALLS ? { [name]: false } : {};
}

/**
 * Tells whether a call lacks the leg that began it, which is recorded when the call is over, by the records that are
 * known, at least one. Undefined where the account's records do not tell.
 */
export function lacksFirstLeg(
	records: readonly IDataObject[],
	profile: LegProfile,
): boolean | undefined {
	const legs = records.map(legOfCdr);
	if (legs[0]?.callId === undefined || firstLegOf(legs) || areBothEnds(legs)) return false;
	return isPlacedAlone(legs) ? (profile.hasPlacedFirstLegs ?? false) : profile.hasFirstLegs;
}

function isTalkedOn({ talk = 0 }: Leg): boolean {
	return talk > 0;
}

/**
 * Tells whether the legs are a whole call without a leg that began it, as those of a click-to-call are: they name each other,
 * where the PBX gives call IDs; a phone rings in the name of its own user or of the party outside that another leg calls; or
 * two legs were talked on and ended together.
 */
function areBothEnds(legs: readonly Leg[]): boolean {
	const ids = new Set(legs.map(({ id }) => id));
	const isNamed = ({ otherId }: Leg) => otherId !== undefined && ids.has(otherId);
	if (legs.length > 1 && legs.every(isNamed)) return true;
	const outside = new Set(legs.filter(goesOut).map(({ to }) => to?.number));
	const isPhoneFirst = (leg: Leg) =>
		isOwnPhone(leg) || (leg.employee !== undefined && outside.has(leg.from?.number));
	if (legs.some(isPhoneFirst)) return true;
	const ends = legs
		.filter(isTalkedOn)
		.flatMap(({ at }) => at ?? [])
		.sort((a, b) => a - b);
	return ends.some((end, index) => end - (ends[index - 1] ?? -Infinity) <= SAME_END_MS);
}

/** Tells a call that a colleague placed to a number outside, of which only the leg to the other end is recorded. */
function isPlacedAlone(legs: readonly Leg[]): boolean {
	const isPlaced = (leg: Leg) => isSentOut(leg) && areExtensions(leg.from?.number);
	return firstLegOf(legs) === undefined && legs.some(isPlaced);
}

/** Tells a call that a colleague placed, and that has a leg which began it. */
function isPlacedWithFirst(legs: readonly Leg[]): boolean {
	return areExtensions(firstLegOf(legs)?.from?.number) && legs.some(isSentOut);
}

function isSentOut(leg: Leg): boolean {
	return leg.side === 'called' && goesOut(leg);
}
