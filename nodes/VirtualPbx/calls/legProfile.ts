import type { Cdr } from '../pbx/cdrs/cdr';
import { areExtensions } from '../util/party';
import type { Leg } from './leg';
import type { CallType } from './parties';
import { callTypeOf, firstLegOf, goesOut, isOwnPhone, partsOf } from './parties';
import { groupByCall, legOfCdr } from './record';

/**
 * Whether calls have a record of the leg that began them (seen in the field). Kept per type of call, since a PBX can
 * record the callers of some types only. Absent if the records don't show it.
 */
export interface LegProfile {
	/** Calls from outside, and those of unknown type. */
	hasFirstLegs?: boolean;
	/** Calls that employees place to outside numbers. */
	hasPlacedFirstLegs?: boolean;
	/** Calls between employees. */
	hasInternalFirstLegs?: boolean;
}

const NAMES = {
	incoming: 'hasFirstLegs',
	outgoing: 'hasPlacedFirstLegs',
	internal: 'hasInternalFirstLegs',
} as const satisfies Record<CallType, keyof LegProfile>;

/** How many calls without a first leg prove that there are none. */
const ENOUGH_CALLS = 3;
/** How long after a call's end all its legs are recorded. */
const RECORDED_MS = 30_000;
/** The tolerance within which two connected legs end together. */
const SAME_END_MS = 5000;

/**
 * Learns from an account's records which calls have a first leg. One such leg of a type proves it; several answered
 * calls of the type without one prove the opposite. Ignores click-to-calls, which never have one. `now` is in Unix
 * milliseconds.
 */
export function legProfileOf(records: readonly Cdr[], now: number): LegProfile {
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

/** Returns whether a call has ended and was answered, but lacks the leg that began it. */
function isWithoutFirst(legs: readonly Leg[], now: number): boolean {
	const isOver = ({ at, side }: Leg) => now - (at ?? now) >= RECORDED_MS && side === 'called';
	const hasId = legs[0]?.callId !== undefined;
	return hasId && legs.every(isOver) && legs.some(hasTalk) && !areBothEnds(legs);
}

/**
 * Returns whether a call lacks the leg that began it, which is recorded when the call ends. Needs at least one of its
 * records. Undefined if the account's records don't show it.
 */
export function lacksFirstLeg(records: readonly Cdr[], profile: LegProfile): boolean | undefined {
	const legs = records.map(legOfCdr);
	if (legs[0]?.callId === undefined || firstLegOf(legs) || areBothEnds(legs)) return false;
	const name = nameFor(legs);
	// Most accounts record one leg of such a call.
	return profile[name] ?? (name === NAMES.outgoing ? false : undefined);
}

function hasTalk({ talk = 0 }: Leg): boolean {
	return talk > 0;
}

/**
 * Returns whether the legs are a whole call that no leg began, such as a click-to-call: they name each other, if the PBX
 * provides call IDs; a phone rings on behalf of its own user or of the outside party that another leg calls; or two
 * answered legs ended together.
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
		.filter(hasTalk)
		.flatMap(({ at }) => at ?? [])
		.sort((a, b) => a - b);
	return ends.some((end, index) => end - (ends[index - 1] ?? -Infinity) <= SAME_END_MS);
}

/**
 * Returns whether this is an employee's call to an outside number of which only the leg to the other end is recorded.
 */
function isPlacedAlone(legs: readonly Leg[]): boolean {
	const isPlaced = (leg: Leg) => isSentOut(leg) && areExtensions(leg.from?.number);
	return firstLegOf(legs) === undefined && legs.some(isPlaced);
}

function isSentOut(leg: Leg): boolean {
	return leg.side === 'called' && goesOut(leg);
}
