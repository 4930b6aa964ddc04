import type { Leg } from './leg';

/** How an unanswered leg ends. Without a kind, it depends on who called. */
export type UnansweredKind = 'busy' | 'declined' | 'elsewhere' | 'failed';

/**
 * Hang-up causes of switches (Q.850 and their own), in words, and their meaning for an unanswered leg. §2.4 shows the
 * form.
 */
const CAUSES = new Map<string, readonly [words: string, kind?: UnansweredKind]>(
	Object.entries({
		ALLOTTED_TIMEOUT: ['Time limit of the call reached'],
		ANSWERED_ELSEWHERE: ['Answered elsewhere', 'elsewhere'],
		ATTENDED_TRANSFER: ['Transferred'],
		BLIND_TRANSFER: ['Transferred'],
		CALL_REJECTED: ['Call rejected', 'declined'],
		CHAN_NOT_IMPLEMENTED: ['Channel type not supported', 'failed'],
		DESTINATION_OUT_OF_ORDER: ['Destination out of order', 'failed'],
		EXCHANGE_ROUTING_ERROR: ['Routing error', 'failed'],
		GATEWAY_DOWN: ['Gateway down', 'failed'],
		INCOMING_CALL_BARRED: ['Incoming calls not allowed', 'failed'],
		INCOMPATIBLE_DESTINATION: ['No common codec or media', 'failed'],
		INTERWORKING: ['Failed in another network', 'failed'],
		INVALID_NUMBER_FORMAT: ['Invalid number', 'failed'],
		LOSE_RACE: ['Answered elsewhere', 'elsewhere'],
		MANAGER_REQUEST: ['Ended by the system'],
		MANDATORY_IE_MISSING: ['Signaling error', 'failed'],
		MEDIA_TIMEOUT: ['No audio received', 'failed'],
		NETWORK_OUT_OF_ORDER: ['Network failure', 'failed'],
		NORMAL_CIRCUIT_CONGESTION: ['Network busy', 'failed'],
		NORMAL_CLEARING: ['Ended normally'],
		NORMAL_TEMPORARY_FAILURE: ['Temporary failure', 'failed'],
		NORMAL_UNSPECIFIED: ['Ended normally, without details'],
		NO_ANSWER: ['No answer'],
		NO_ROUTE_DESTINATION: ['No route to the number', 'failed'],
		NO_ROUTE_TRANSIT_NET: ['No route to the network', 'failed'],
		NO_USER_RESPONSE: ["Device doesn't respond"],
		NUMBER_CHANGED: ['Number changed', 'failed'],
		ORIGINATOR_CANCEL: ['Caller hung up before the call was answered'],
		OUTGOING_CALL_BARRED: ['Outgoing calls not allowed', 'failed'],
		PICKED_OFF: ['Picked up by someone else', 'elsewhere'],
		PROGRESS_TIMEOUT: ['No ringing at the destination'],
		RECOVERY_ON_TIMER_EXPIRE: ['No response in time'],
		REQUESTED_CHAN_UNAVAIL: ['No free line', 'failed'],
		SERVICE_UNAVAILABLE: ['Service not available', 'failed'],
		SUBSCRIBER_ABSENT: ['Not registered', 'failed'],
		SWITCH_CONGESTION: ['Switch overloaded', 'failed'],
		SYSTEM_SHUTDOWN: ['Switch shut down', 'failed'],
		UNALLOCATED_NUMBER: ["Number doesn't exist", 'failed'],
		USER_BUSY: ['Busy', 'busy'],
		USER_NOT_REGISTERED: ['Not registered', 'failed'],
	}),
);

/** The codes with plain words, in alphabetical order, for option lists. */
export const HANGUP_CAUSES: readonly string[] = [...CAUSES.keys()].sort();

/** Returns a hang-up cause in capitals with underscores; undefined for none. */
export function causeCode(cause: string | undefined): string | undefined {
	if (cause === undefined || CAUSES.has(cause)) return cause;
	const code = cause
		.trim()
		.toUpperCase()
		.replace(/[\s-]+/g, '_');
	return code === '' ? undefined : code;
}

/** Returns the meaning of a hang-up cause, in any case, for an unanswered leg; undefined if it has none. */
export function unansweredKind(cause: string | undefined): UnansweredKind | undefined {
	return CAUSES.get(causeCode(cause) ?? '')?.[1];
}

/**
 * Returns a hang-up cause in plain words: `NO_ANSWER` → "No answer". An unknown `SOME_NEW_CODE` becomes "Some new
 * code".
 */
export function hangupWords(cause: string): string {
	const known = CAUSES.get(causeCode(cause) ?? '')?.[0];
	if (known !== undefined) return known;
	const words = cause
		.trim()
		.toLowerCase()
		.replace(/[_\s]+/g, ' ');
	return words.charAt(0).toUpperCase() + words.slice(1);
}

interface OutcomeRow {
	/** The output value. Stored in workflows. */
	value: string;
	name: string;
	description: string;
}

/** All outcomes of a call or leg, in the alphabetical order of their names. */
export const OUTCOMES = [
	{ value: 'answered', name: 'Answered', description: 'A person answered' },
	{
		value: 'elsewhere',
		name: 'Answered Elsewhere',
		description: 'Another phone answered the call',
	},
	{ value: 'busy', name: 'Busy', description: 'The called party was busy' },
	{ value: 'declined', name: 'Declined', description: 'The called party rejected the call' },
	{ value: 'failed', name: 'Failed', description: "The call couldn't be connected" },
	{ value: 'noAnswer', name: 'No Answer', description: 'Nobody answered' },
	{ value: 'ringing', name: 'Ringing', description: 'The call is ringing' },
	{
		value: 'voicemail',
		name: 'Voicemail',
		description: 'Only the PBX itself took the call, such as voicemail or a menu',
	},
] as const satisfies readonly OutcomeRow[];

export type Outcome = (typeof OUTCOMES)[number]['value'];

/** Outcomes that a leg can end with, for filters. */
export const END_OUTCOMES = OUTCOMES.filter(({ value }) => value !== 'ringing');

/** Returns whether a call ended normally, as far as its hang-up cause shows: `NORMAL_CLEARING`, or none. */
export function isNormalEnd(cause: string | undefined): boolean {
	const code = causeCode(cause);
	return code === undefined || code === 'NORMAL_CLEARING';
}

/** Returns the outcome of one leg. One that ended normally counts as answered if the PBX doesn't say. */
export function outcomeOfLeg({ state, cause }: Leg): Outcome {
	if (state === 'ringing' || state === 'answered') return state;
	if (state !== 'unanswered' && isNormalEnd(cause)) return 'answered';
	return unansweredKind(cause) ?? 'noAnswer';
}

/** The facts that decide a call's outcome: its legs by their roles, and whether an employee called outside. */
export interface OutcomeParts {
	/** The leg that began the call; undefined if unknown. */
	first: Leg | undefined;
	/** The legs that someone might have answered. */
	called: readonly Leg[];
	isOutgoing: boolean;
	/** Whether these are all the legs of the call. */
	isWhole: boolean;
}

/**
 * Returns the outcome of a call. If it wasn't answered, the leg that began it decides, since an event shows no other;
 * else the others.
 */
export function outcomeOfCall(parts: OutcomeParts): Outcome {
	const { first, called } = parts;
	if (called.some(({ state }) => state === 'answered')) return 'answered';
	if (first === undefined || first.state === 'unknown') return outcomeOfCalled(called);
	if (first.state === 'ringing') return 'ringing';
	if (first.state === 'answered') return outcomeOfTaken(parts);
	const isOver = called.length > 0 && called.every(({ state }) => state === 'unanswered');
	const outcome = outcomeOfLeg({ ...first, state: isOver ? 'unanswered' : first.state });
	return outcome === 'elsewhere' ? 'answered' : outcome;
}

/**
 * Returns the outcome if the leg that began the call was answered and no other one surely was. Another leg can show
 * that a different phone took the call.
 */
function outcomeOfTaken({ called, isOutgoing, isWhole }: OutcomeParts): Outcome {
	if (called.length === 0) return isWhole && !isOutgoing ? 'voicemail' : 'answered';
	const isTaken = called.every(
		(leg) => leg.state !== 'unknown' && !['answered', 'elsewhere'].includes(outcomeOfLeg(leg)),
	);
	if (!isTaken) return 'answered';
	return isOutgoing ? outcomeOfCalled(called) : 'voicemail';
}

/** A failure counts only if all legs failed the same way. */
function outcomeOfCalled(called: readonly Leg[]): Outcome {
	const all = called.map(outcomeOfLeg);
	const [only] = all;
	if (only !== undefined && all.every((one) => one === only)) return only;
	return (['answered', 'ringing'] as const).find((one) => all.includes(one)) ?? 'noAnswer';
}
