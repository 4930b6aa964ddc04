import { Ring } from './ring';
import type { Webhook } from './types';

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
	hook: Webhook['hook'];
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

/** One request to the PBX side. */
export interface RequestEntry {
	id: string;
	/** Unix milliseconds. */
	at: number;
	method: string;
	path: string;
	/** The row of §4 that answered, such as `PUT /accounts/:account_id/webhooks`. */
	row: string;
	status: number;
	account_id: string | null;
	ms: number;
	body?: unknown;
}

/** A log of bounded length with counters that a full log does not lose. */
export class Log<T, C extends object> {
	private readonly entries: Ring<T>;
	private counts: C;

	/**
	 * @param none gives the counters of an empty log
	 * @param count adds an entry to them
	 */
	constructor(
		size: number,
		private readonly none: () => C,
		private readonly count: (counts: C, entry: T) => void,
	) {
		this.entries = new Ring(size);
		this.counts = none();
	}

	/** Adds an entry. */
	push(entry: T): void {
		this.entries.push(entry);
		this.count(this.counts, entry);
	}

	/** Gives the entries, oldest first. */
	list(): T[] {
		return this.entries.toArray();
	}

	/** Gives the counters. */
	counters(): C {
		return structuredClone(this.counts);
	}

	/** Forgets entries and counters. */
	clear(): void {
		this.entries.clear();
		this.counts = this.none();
	}
}

/** The log of deliveries: how many tries there were, and how they ended. */
export const deliveryLog = (size: number) =>
	new Log(
		size,
		() => ({ tries: 0, accepted: 0, failed: 0, lost: 0 }),
		(counts, { result }: DeliveryEntry) => {
			counts.tries++;
			counts[result]++;
		},
	);

const more = (counts: Record<string, number>, name: string): void => {
	counts[name] = (counts[name] ?? 0) + 1;
};

/** The log of requests to the PBX side: all of them, logins, by row of §4, and by status. */
export const requestLog = (size: number) =>
	new Log(
		size,
		() => ({
			total: 0,
			logins: 0,
			by_row: {} as Record<string, number>,
			by_status: {} as Record<string, number>,
		}),
		(counts, { row, status }: RequestEntry) => {
			counts.total++;
			if (row === 'PUT /user_auth') counts.logins++;
			more(counts.by_row, row);
			more(counts.by_status, String(status));
		},
	);

const SECRET_KEYS = new Set(['password', 'custom_data', 'auth_token']);

/** Gives a copy of a value with the values of secret keys struck out. */
export function redact(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(redact);
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [
			key,
			SECRET_KEYS.has(key) ? '[redacted]' : redact(inner),
		]),
	);
}

/** Gives an entry for people to read: its time in words, its secrets struck out. */
export const shown = (entry: RequestEntry) => ({
	...entry,
	at: new Date(entry.at).toISOString(),
	...('body' in entry ? { body: redact(entry.body) } : {}),
});
