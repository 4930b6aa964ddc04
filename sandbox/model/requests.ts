import { Ring } from './ring';

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

/** The log of requests to the PBX side, with counters that a full log does not lose. */
export class Requests {
	private readonly entries: Ring<RequestEntry>;
	private readonly rows = new Map<string, number>();
	private readonly statuses = new Map<number, number>();
	private total = 0;

	constructor(size: number) {
		this.entries = new Ring(size);
	}

	/** Adds a request. */
	push(entry: RequestEntry): void {
		this.entries.push(entry);
		this.total++;
		this.rows.set(entry.row, (this.rows.get(entry.row) ?? 0) + 1);
		this.statuses.set(entry.status, (this.statuses.get(entry.status) ?? 0) + 1);
	}

	/** Gives the entries, oldest first, with secrets struck out. */
	list() {
		return this.entries.toArray().map(shown);
	}

	/** Gives the counters: all requests, logins, by row of §4 and by status. */
	counters() {
		return {
			total: this.total,
			logins: this.rows.get('PUT /user_auth') ?? 0,
			by_row: Object.fromEntries(this.rows),
			by_status: Object.fromEntries(this.statuses),
		};
	}

	/** Changes how many entries are kept. */
	resize(size: number): void {
		this.entries.resize(size);
	}

	/** Forgets entries and counters. */
	clear(): void {
		this.entries.clear();
		this.rows.clear();
		this.statuses.clear();
		this.total = 0;
	}
}
