import type { Sandbox } from '../../sandbox';

/** What became of the deliveries of one event. */
interface Fate {
	tries: number;
	acknowledged: boolean;
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
	msg_id: string;
	result: string;
	status: number | null;
	error: string | null;
}

/** Begins to note deliveries; the sandbox's own log is of bounded length. */
export function watchDeliveries({ pbx }: Sandbox): Watch {
	const events = new Map<string, Fate>();
	const stop = pbx.bus.listen((type, data) => {
		if (type !== 'delivery') return;
		const { msg_id: id, result, status, error } = data as Delivery;
		const fate = events.get(id) ?? { tries: 0, acknowledged: false };
		fate.tries++;
		fate.acknowledged ||= result === 'accepted';
		if (result !== 'accepted') fate.failure = error?.split(':')[0] ?? `status ${status}`;
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
