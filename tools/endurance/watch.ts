import type { Sandbox } from '../../sandbox';

/** What became of the deliveries of one event. */
interface Fate {
	tries: number;
	acknowledged: boolean;
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
}

/** Begins to note deliveries; the sandbox's own log is of bounded length. */
export function watchDeliveries({ pbx }: Sandbox): Watch {
	const events = new Map<string, Fate>();
	const stop = pbx.bus.listen((type, data) => {
		if (type !== 'delivery') return;
		const { msg_id: id, result } = data as Delivery;
		const fate = events.get(id) ?? { tries: 0, acknowledged: false };
		fate.tries++;
		fate.acknowledged ||= result === 'accepted';
		events.set(id, fate);
	});
	return { events, stop };
}
