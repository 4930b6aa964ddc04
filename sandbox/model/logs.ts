import type { Webhook } from './types';

/** One delivery attempt, as the sandbox sees it. Its payload leaves out `custom_data`. */
export interface DeliveryEntry {
	id: string;
	at: string;
	account_id: string;
	call_id: string;
	leg_call_id: string;
	/** Null, and the call's IDs empty, for an event without a call. */
	leg: 'inbound' | 'outbound' | null;
	event: string;
	hook: Webhook['hook'];
	webhook_id: string;
	uri: string;
	verb: string;
	msg_id: string;
	try: number;
	/** `accepted`, `failed` (a retry can follow), or `lost` by a fault. */
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
	/** The row of §4 that responded, such as `PUT /accounts/:account_id/webhooks`. */
	row: string;
	status: number;
	account_id: string | null;
	ms: number;
	body?: unknown;
}

/** A bounded log: new entries replace the oldest. */
export class Log<T> {
	private entries: T[] = [];

	/** @param size how many entries to keep */
	constructor(private readonly size: number) {}

	push(entry: T): void {
		this.entries.push(entry);
		if (this.entries.length > this.size) this.entries.shift();
	}

	/** Returns the entries, oldest first. */
	list(): T[] {
		return [...this.entries];
	}

	clear(): void {
		this.entries = [];
	}
}

/** A log with counters that keep counting when it's full. */
class CountingLog<T, C extends object> extends Log<T> {
	private counts: C;

	/**
	 * @param none returns the counters of an empty log
	 * @param count adds an entry to the counters
	 */
	constructor(
		size: number,
		private readonly none: () => C,
		private readonly count: (counts: C, entry: T) => void,
	) {
		super(size);
		this.counts = none();
	}

	override push(entry: T): void {
		super.push(entry);
		this.count(this.counts, entry);
	}

	counters(): C {
		return structuredClone(this.counts);
	}

	/** Forgets entries and counters. */
	override clear(): void {
		super.clear();
		this.counts = this.none();
	}
}

/** The log of deliveries, with counts of attempts and results. */
export const deliveryLog = (size: number) =>
	new CountingLog(
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

/** The log of PBX requests, with counts of all, logins, rows of §4, and statuses. */
export const requestLog = (size: number) =>
	new CountingLog(
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

/** Returns a copy of a value with the values of secret keys blanked. */
function redact(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(redact);
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [
			key,
			SECRET_KEYS.has(key) ? '[redacted]' : redact(inner),
		]),
	);
}

/** Returns an entry for display: a readable time, and secrets blanked. */
export const shown = (entry: RequestEntry) => ({
	...entry,
	at: new Date(entry.at).toISOString(),
	...('body' in entry ? { body: redact(entry.body) } : {}),
});
