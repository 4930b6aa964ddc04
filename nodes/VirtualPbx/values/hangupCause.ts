/**
 * Hang-up causes in plain words: the codes that switches of this kind use (Q.850 and their own). The contract shows
 * only the form (§2.4, §6: `NORMAL_CLEARING`).
 */
const WORDS: Record<string, string> = {
	ALLOTTED_TIMEOUT: 'Time limit of the call reached',
	ATTENDED_TRANSFER: 'Transferred',
	BLIND_TRANSFER: 'Transferred',
	CALL_REJECTED: 'Call rejected',
	CHAN_NOT_IMPLEMENTED: 'Channel type not supported',
	DESTINATION_OUT_OF_ORDER: 'Destination out of order',
	EXCHANGE_ROUTING_ERROR: 'Routing error',
	INCOMPATIBLE_DESTINATION: 'No common codec or media',
	INTERWORKING: 'Failed in another network',
	INVALID_NUMBER_FORMAT: 'Invalid number',
	LOSE_RACE: 'Answered elsewhere',
	MANAGER_REQUEST: 'Ended by the system',
	MANDATORY_IE_MISSING: 'Signaling error',
	MEDIA_TIMEOUT: 'No sound received',
	NETWORK_OUT_OF_ORDER: 'Network failure',
	NO_ANSWER: 'No answer',
	NO_ROUTE_DESTINATION: 'No route to the number',
	NO_ROUTE_TRANSIT_NET: 'No route to the network',
	NO_USER_RESPONSE: 'Device does not respond',
	NORMAL_CIRCUIT_CONGESTION: 'Network busy',
	NORMAL_CLEARING: 'Ended normally',
	NORMAL_TEMPORARY_FAILURE: 'Temporary failure',
	NORMAL_UNSPECIFIED: 'Ended normally, without details',
	NUMBER_CHANGED: 'Number changed',
	ORIGINATOR_CANCEL: 'Caller hung up before the answer',
	OUTGOING_CALL_BARRED: 'Outgoing calls not allowed',
	PICKED_OFF: 'Picked up by someone else',
	PROGRESS_TIMEOUT: 'Destination does not ring',
	RECOVERY_ON_TIMER_EXPIRE: 'No response in time',
	REQUESTED_CHAN_UNAVAIL: 'No free line',
	SERVICE_UNAVAILABLE: 'Service not available',
	SUBSCRIBER_ABSENT: 'Not registered',
	SWITCH_CONGESTION: 'Switch overloaded',
	SYSTEM_SHUTDOWN: 'Switch shut down',
	UNALLOCATED_NUMBER: 'Number does not exist',
	USER_BUSY: 'Busy',
	USER_NOT_REGISTERED: 'Not registered',
};

/** The codes that have plain words, alphabetical: for option lists. */
export const HANGUP_CAUSES: readonly string[] = Object.keys(WORDS).sort();

/**
 * Says a hang-up cause in plain words.
 *
 * @param code for example `NO_ANSWER`, in any case
 * @returns "No answer"; for an unknown code the code itself without underscores: `SOME_NEW_CODE` → "Some new code"
 */
export function hangupWords(code: string): string {
	const key = code.trim().toUpperCase();
	const known = Object.hasOwn(WORDS, key) ? WORDS[key] : undefined;
	if (known !== undefined) return known;
	const words = code
		.trim()
		.toLowerCase()
		.replace(/[_\s]+/g, ' ');
	return words.charAt(0).toUpperCase() + words.slice(1);
}
