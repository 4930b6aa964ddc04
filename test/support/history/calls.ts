/** A call as it happened. The sandbox's records show as much of it as the recorded legs do. */
export interface PastCall {
	id: string;
	type: 'incoming' | 'internal' | 'outgoing';
	outcome: 'answered' | 'busy' | 'declined' | 'failed' | 'noAnswer' | 'voicemail';
	/** The external number. Undefined for anonymous and internal calls. */
	customer?: string;
	/** The company's number that was called. */
	line?: string;
	/** Whose phones rang, or who placed the call. The first one answered. */
	employees: string[];
	/** The other employee of an internal call. */
	callee?: string;
	/** When it ended, in Unix seconds. */
	at: number;
	talk: number;
}

const OUTCOMES = ['answered', 'noAnswer', 'answered', 'busy', 'voicemail'] as const;

/** Returns calls of all kinds with a few customers and employees, spread over a period in Unix seconds. */
export function spreadCalls(count: number, from: number, to: number): PastCall[] {
	return Array.from({ length: count }, (_, index): PastCall => {
		const outcome = OUTCOMES[index % 5] ?? 'answered';
		const customer = `1646555010${index % 9}`;
		const base = {
			...{ id: `call-${index}`, at: Math.floor(from + ((to - from) * (index + 0.5)) / count) },
			...{ talk: outcome === 'answered' ? 5 + index : 0, employees: [`10${index % 3}`] },
		};
		if (index % 4 > 0) return { ...base, type: 'incoming', outcome, customer, line: '12125550100' };
		const isLost = outcome === 'voicemail';
		return { ...base, type: 'outgoing', outcome: isLost ? 'noAnswer' : outcome, customer };
	});
}
