import type { Sandbox } from '../../sandbox';

/** n8n's body of the 200 response to every path until its migrations are done. */
const STARTING = 'n8n is starting up';

/** The outcome of one event's deliveries. */
export interface Outcome {
	/** The sandbox's ID of the call. */
	call: string;
	acknowledged: boolean;
	/** Whether an n8n process acknowledged it after its start. */
	isAccepted: boolean;
	/** The reason for the last failure, if any: a status, or the network's error code. */
	failure?: string;
}

interface Delivery {
	call_id: string;
	msg_id: string;
	result: string;
	status: number | null;
	error: string | null;
	response: string;
}

/**
 * Records the outcome of every event from now on, by `Msg-ID`. The sandbox's own log is bounded.
 */
export function watchDeliveries({ pbx }: Sandbox): Map<string, Outcome> {
	const events = new Map<string, Outcome>();
	pbx.bus.listen((type, data) => {
		if (type !== 'delivery') return;
		const { call_id: call, msg_id: id, result, status, error, response } = data as Delivery;
		const outcome = events.get(id) ?? { call, acknowledged: false, isAccepted: false };
		const isAccepted = result === 'accepted';
		outcome.acknowledged ||= isAccepted;
		outcome.isAccepted ||= isAccepted && !response.includes(STARTING);
		if (!isAccepted) outcome.failure = error?.split(':')[0] ?? `status ${status}`;
		events.set(id, outcome);
	});
	return events;
}

/** Records the notes in the sandbox's CRM from now on, by call. */
export function watchNotes({ pbx }: Sandbox): Map<string, Set<string>> {
	const calls = new Map<string, Set<string>>();
	pbx.bus.listen((type, data) => {
		if (type !== 'note') return;
		const { id, body } = data as { id: string; body: { callId?: string } };
		const call = body.callId?.slice(0, 32) ?? '';
		calls.set(call, (calls.get(call) ?? new Set()).add(id));
	});
	return calls;
}

/** Counts how often each value occurs. */
export function countBy(values: Iterable<string>): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
	return counts;
}
