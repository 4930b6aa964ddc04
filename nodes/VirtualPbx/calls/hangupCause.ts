/** How a leg ends that nobody answered; what no cause tells depends on who called. */
export type UnansweredKind = 'busy' | 'declined' | 'elsewhere' | 'failed';

/** Hang-up causes of switches (Q.850 and their own): in words, and for a leg that nobody answered. §2.4 shows the form. */
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
		NO_USER_RESPONSE: ['Device does not respond'],
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
		UNALLOCATED_NUMBER: ['Number does not exist', 'failed'],
		USER_BUSY: ['Busy', 'busy'],
		USER_NOT_REGISTERED: ['Not registered', 'failed'],
	}),
);

/** The codes that have plain words, alphabetical: for option lists. */
export const HANGUP_CAUSES: readonly string[] = [...CAUSES.keys()].sort();

/** A hang-up cause as the table writes it: in capitals, with underscores; undefined for none. */
export function causeCode(cause: string | undefined): string | undefined {
	if (cause === undefined || CAUSES.has(cause)) return cause;
	const code = cause
		.trim()
		.toUpperCase()
		.replace(/[\s-]+/g, '_');
	return code === '' ? undefined : code;
}

/** Says what a hang-up cause, in any case, means for a leg that nobody answered; undefined where it does not tell. */
export function unansweredKind(cause: string | undefined): UnansweredKind | undefined {
	return CAUSES.get(causeCode(cause) ?? '')?.[1];
}

/** A hang-up cause in plain words: `NO_ANSWER` → "No answer"; an unknown one as `SOME_NEW_CODE` → "Some new code". */
export function hangupWords(cause: string): string {
	const known = CAUSES.get(causeCode(cause) ?? '')?.[0];
	if (known !== undefined) return known;
	const words = cause
		.trim()
		.toLowerCase()
		.replace(/[_\s]+/g, ' ');
	return words.charAt(0).toUpperCase() + words.slice(1);
}
