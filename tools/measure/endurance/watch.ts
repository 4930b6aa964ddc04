import type { Sandbox } from '../../../sandbox';

/** What n8n answers with 200 to every path until its migrations are over. */
const STARTING = 'n8n is starting up';

/** What became of the deliveries of one event. */
export interface Fate {
	/** The sandbox's ID of its call. */
	call: string;
	acknowledged: boolean;
	/** Whether an n8n that had started acknowledged it. */
	isTaken: boolean;
	/** Why the last try failed, if it did: a status, or the code that the network gives. */
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

/** Notes from now on what becomes of every event, by `Msg-ID`; the sandbox's own log is of bounded length. */
export function watchDeliveries({ pbx }: Sandbox): Map<string, Fate> {
	const events = new Map<string, Fate>();
	pbx.bus.listen((type, data) => {
		if (type !== 'delivery') return;
		const { call_id: call, msg_id: id, result, status, error, response } = data as Delivery;
		const fate = events.get(id) ?? { call, acknowledged: false, isTaken: false };
		const isAccepted = result === 'accepted';
		fate.acknowledged ||= isAccepted;
		fate.isTaken ||= isAccepted && !response.includes(STARTING);
		if (!isAccepted) fate.failure = error?.split(':')[0] ?? `status ${status}`;
		events.set(id, fate);
	});
	return events;
}

/** Notes from now on which notes come into the sandbox's CRM, by the call that they name. */
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
