import type { IDataObject } from 'n8n-workflow';

import { groupByCall } from '../pbx/cdrs/cdr';
import { areExtensions } from '../util/party';
import type { Leg } from './leg';
import type { CallType } from './parties';
import { callTypeOf, firstLegOf, goesOut, isOwnPhone, partsOf } from './parties';
import { legOfCdr } from './recordLeg';

/**
 * Which calls have a record of the leg that began them (seen in the field), for each type of call apart, since a PBX may
 * record the callers of some types only. Absent where the records do not tell.
 */
export interface LegProfile {
	/** Calls from outside, and those of unknown type. */
	hasFirstLegs?: boolean;
	/** Calls that colleagues place to numbers outside. */
	hasPlacedFirstLegs?: boolean;
	/** Calls between colleagues. */
	hasInternalFirstLegs?: boolean;
}

const NAMES = {
	incoming: 'hasFirstLegs',
	outgoing: 'hasPlacedFirstLegs',
	internal: 'hasInternalFirstLegs',
} as const satisfies Record<CallType, keyof LegProfile>;

/** So many calls without a first leg tell that there are none. */
const ENOUGH_CALLS = 3;
/** All legs of a call are recorded so long after its end. */
const RECORDED_MS = 30_000;
/** Legs of two people who talked with each other end at the same moment, give or take. */
const SAME_END_MS = 5000;

/**
 * Learns from an account's records which of its calls have a first leg: one such leg of a type says so, and some calls
 * of the type that were talked on and lack it say that there is none. A click-to-call, which never has one, says nothing.
 * `now` is in Unix milliseconds.
 */
export function legProfileOf(records: readonly IDataObject[], now: number): LegProfile {
	const profile: LegProfile = {};
	const lacking = { hasFirstLegs: 0, hasPlacedFirstLegs: 0, hasInternalFirstLegs: 0 };
	for (const call of groupByCall(records)) {
		const legs = call.legs.map(legOfCdr);
		const name = nameFor(legs);
		if (firstLegOf(legs)) profile[name] = true;
		else if (isWithoutFirst(legs, now)) lacking[name]++;
	}
	for (const name of Object.values(NAMES))
		if (lacking[name] >= ENOUGH_CALLS) profile[name] ??= false;
	return profile;
}

function nameFor(legs: readonly Leg[]): keyof LegProfile {
	if (isPlacedAlone(legs)) return NAMES.outgoing;
	return NAMES[callTypeOf(partsOf(legs)) ?? 'incoming'];
}

/** Tells a call that is over and was talked on, though it lacks the leg that began it. */
function isWithoutFirst(legs: readonly Leg[], now: number): boolean {
	const isOver = ({ at, side }: Leg) => now - (at ?? now) >= RECORDED_MS && side === 'called';
	const hasId = legs[0]?.callId !== undefined;
	return hasId && legs.every(isOver) && legs.some(isTalkedOn) && !areBothEnds(legs);
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
	const name = nameFor(legs);
	// Most accounts record one leg of such a call.
	return profile[name] ?? (name === NAMES.outgoing ? false : undefined);
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

function isSentOut(leg: Leg): boolean {
	return leg.side === 'called' && goesOut(leg);
}
