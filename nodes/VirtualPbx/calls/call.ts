import { causeCode } from '../values/hangupCause';
import type { Employee, End, Leg } from './leg';
import type { Outcome } from './outcome';
import { outcomeOfCall } from './outcome';
import type { CallType } from './parties';
import { callTypeOf, customerOf, employeeOf, longestTalk } from './parties';
import { partsOf } from './parts';

/** A call as people see it; undefined where its legs do not tell. */
export interface Call {
	/** At least one, in the order in which they were given. */
	legs: readonly Leg[];
	/** The leg that tells caller and dialed number: the one that began the call, else the earliest. */
	lead: Leg;
	type: CallType | undefined;
	outcome: Outcome;
	customer: End | undefined;
	employee: Employee | undefined;
	/** The number of the company that was dialed. */
	company: End | undefined;
	/** The party that answered. */
	answeredBy: End | undefined;
	/** The hang-up cause of the lead, or of a leg that is known better; in capitals. */
	cause: string | undefined;
	/** In seconds. */
	talk: number | undefined;
	/** Undefined where a single leg cannot tell for its call. */
	isMissed: (countVoicemail: boolean) => boolean | undefined;
}

/**
 * Tells a call from the legs that are known of it: all of a call's records, or what one event says.
 *
 * @param legs at least one, oldest first
 * @param isWhole whether a leg that is not there does not exist
 */
export function assembleCall(legs: readonly Leg[], isWhole: boolean): Call {
	const parts = partsOf(legs);
	const { first, called, phone } = parts;
	const lead = first ?? called[0] ?? { state: 'unsaid' };
	const type = callTypeOf(parts);
	const isSilent = phone !== undefined && called.every(({ state }) => state === 'unknown');
	const telling = isSilent ? [phone] : called;
	const isOutgoing = type === 'outgoing';
	const outcome = outcomeOfCall({ first, called: telling, isOutgoing, isWhole });
	const isVoicemail = outcome === 'voicemail';
	return {
		legs,
		lead,
		type,
		outcome,
		customer: customerOf(parts, type),
		employee: employeeOf(parts, type),
		company: type === 'incoming' ? first?.to : undefined,
		answeredBy: longestTalk(called)?.to,
		cause: causeCode(lead.cause ?? legs[0]?.cause),
		talk: isVoicemail ? 0 : talkOf(first, phone ? called : legs),
		isMissed: (countVoicemail) => {
			if (outcome === 'ringing') return undefined;
			if (outcome === 'answered' || outcome === 'elsewhere') return false;
			if (type !== 'incoming') return type === undefined ? undefined : false;
			const isKnown = isWhole || (first !== undefined && first.state !== 'unknown');
			return isKnown ? !isVoicemail || countVoicemail : undefined;
		},
	};
}

/**
 * How long people talked, in seconds: the legs beside the first one together, at most as long as the first; the first
 * alone, where the others do not say.
 */
function talkOf(first: Leg | undefined, legs: readonly Leg[]): number | undefined {
	const others = legs.filter((leg) => leg !== first && leg.talk !== undefined);
	if (others.length === 0) return first?.talk;
	const together = others.reduce((sum, { talk = 0 }) => sum + talk, 0);
	const whole = first?.talk ?? 0;
	return whole > 0 ? Math.min(whole, together) : together;
}
