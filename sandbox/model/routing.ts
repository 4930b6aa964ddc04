/** A rule of §2.3 that an answer breaks, with the step (counted from 1) where there is one. */
export interface Problem {
	rule: string;
	message: string;
	step?: number;
}

/** One routing question to a web service and what became of it (§2.3). */
export interface RoutingEntry {
	id: string;
	at: string;
	call_id: string;
	callflow_id: string;
	method: string;
	url: string;
	status: number | null;
	ms: number;
	/** Text of the answer, cut to a readable length. */
	answer: string;
	operations: unknown[];
	problems: Problem[];
	warnings: string[];
	/** What the call did next. */
	outcome: 'executed' | 'child' | 'ended';
}
