/** A rule of §2.3 that a routing answer breaks, with its step (counted from 1) if it has one. */
export interface Problem {
	rule: string;
	message: string;
	step?: number;
}

/** One routing request to a web service, and its result (§2.3). */
export interface RoutingEntry {
	id: string;
	at: string;
	call_id: string;
	callflow_id: string;
	method: string;
	url: string;
	status: number | null;
	ms: number;
	/** Text of the response, truncated for display. */
	answer: string;
	operations: unknown[];
	problems: Problem[];
	warnings: string[];
	/** How the call continued. */
	outcome: 'executed' | 'child' | 'ended';
}
