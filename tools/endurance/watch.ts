import type { Sandbox } from '../../sandbox';

/** What n8n answers with 200 to every path until its migrations are over. */
const STARTING = 'n8n is starting up';

/** What became of the deliveries of one event. */
interface Fate {
	/** The sandbox's ID of its call. */
	call: string;
	acknowledged: boolean;
	/** Whether an n8n that had started acknowledged it. */
	isTaken: boolean;
	/** Why the last try failed, if it did: a status, or the code that the network gives. */
	failure?: string;
}

/** Notes what becomes of every event that a sandbox sends. */
export interface Watch {
	/** By `Msg-ID`. */
	events: Map<string, Fate>;
	stop(): void;
}

/** A delivery as the sandbox publishes it. */
interface Delivery {
	call_id: string;
	msg_id: string;
	result: string;
	status: number | null;
	error: string | null;
	response: string;
}

/** Begins to note deliveries; the sandbox's own log is of bounded length. */
export function watchDeliveries({ pbx }: Sandbox): Watch {
	const events = new Map<string, Fate>();
	const stop = pbx.bus.listen((type, data) => {
		if (type !== 'delivery') return;
		const { call_id: call, msg_id: id, result, status, error, response } = data as Delivery;
		const fate = events.get(id) ?? { call, acknowledged: false, isTaken: false };
		const isAccepted = result === 'accepted';
		fate.acknowledged ||= isAccepted;
		fate.isTaken ||= isAccepted && !response.includes(STARTING);
		if (!isAccepted) fate.failure = error?.split(':')[0] ?? `status ${status}`;
		events.set(id, fate);
	});
	return { events, stop };
}

/** Notes which notes a workflow has written into the sandbox's CRM, by the call that they name. */
export function watchNotes({ pbx }: Sandbox): { calls: Map<string, Set<string>>; stop(): void } {
	const calls = new Map<string, Set<string>>();
	const stop = pbx.bus.listen((type, data) => {
		if (type !== 'note') return;
		const { id, body } = data as { id: string; body: { callId?: string } };
		const call = body.callId?.slice(0, 32) ?? '';
		calls.set(call, (calls.get(call) ?? new Set()).add(id));
	});
	return { calls, stop };
}
