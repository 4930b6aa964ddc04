import { Ring } from './ring';
import type { HookName } from './types';

/** One try to deliver an event, seen from the sandbox; `custom_data` is left out of the payload. */
export interface DeliveryEntry {
	id: string;
	at: string;
	account_id: string;
	call_id: string;
	leg_call_id: string;
	/** Missing, as are the call's ids, where the event was made by hand. */
	leg: 'inbound' | 'outbound' | null;
	event: string;
	hook: HookName;
	webhook_id: string;
	uri: string;
	verb: string;
	msg_id: string;
	try: number;
	/** `accepted`, `failed` (a retry may follow), or `lost` by a fault. */
	result: 'accepted' | 'failed' | 'lost';
	status: number | null;
	ms: number;
	error: string | null;
	response: string;
	payload: Record<string, unknown>;
}

/** The log of deliveries with counters that a full log does not lose. */
export class Deliveries {
	private readonly entries: Ring<DeliveryEntry>;
	private readonly counts = { tries: 0, accepted: 0, failed: 0, lost: 0 };

	constructor(size: number) {
		this.entries = new Ring(size);
	}

	/** Adds a try. */
	push(entry: DeliveryEntry): void {
		this.entries.push(entry);
		this.counts.tries++;
		this.counts[entry.result]++;
	}

	/** Gives the tries, oldest first. */
	list(): DeliveryEntry[] {
		return this.entries.toArray();
	}

	/** Gives how many tries there were, and how they ended. */
	counters() {
		return { ...this.counts };
	}

	/** Changes how many entries are kept. */
	resize(size: number): void {
		this.entries.resize(size);
	}

	/** Forgets entries and counters. */
	clear(): void {
		this.entries.clear();
		Object.assign(this.counts, { tries: 0, accepted: 0, failed: 0, lost: 0 });
	}
}
