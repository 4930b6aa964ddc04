/** Hangup causes that the sandbox uses (§2.4 HANGUP_CAUSE), each with its SIP code (§6 Hangup-Code). */
export const CAUSES = {
	NORMAL_CLEARING: 200,
	USER_BUSY: 486,
	NO_ANSWER: 480,
	ORIGINATOR_CANCEL: 487,
	CALL_REJECTED: 603,
	LOSE_RACE: 487,
	PICKED_OFF: 487,
	BLIND_TRANSFER: 200,
	NO_ROUTE_DESTINATION: 404,
	NORMAL_TEMPORARY_FAILURE: 503,
} as const;

export type HangupCause = keyof typeof CAUSES;
