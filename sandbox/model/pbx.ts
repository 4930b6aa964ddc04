import { Client } from '../delivery/client';
import type { DeliveryEntry } from '../delivery/dispatcher';
import { Faults } from '../faults/faults';
import type { RequestEntry } from '../pbx/request-log';
import type { RoutingEntry } from '../routing/ask';
import type { Account } from './account';
import { Log } from './logs';
import { checkSeed, makeAccount, type Seed } from './seed';
import { makeSettings, type Settings } from './settings';
import { newId } from './util';

export interface Note {
	id: string;
	receivedAt: string;
	body: unknown;
}

type Counts = Record<string, number>;
type Listener = (type: string, data: unknown) => void;

/** Publishes to the page what happens. Costs nothing without listeners. */
class Bus {
	private readonly listeners = new Set<Listener>();

	listen(listener: Listener): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Notifies every listener. Calls `make` only if there is one. */
	publish(type: string, make: () => unknown): void {
		if (this.listeners.size === 0) return;
		const data = make();
		for (const listener of this.listeners) listener(type, data);
	}
}

/** The tokens issued by logins, with the ID of their account, which a reset keeps (§5). */
class Tokens extends Map<string, string> {
	issue({ id }: Account): string {
		const token = newId() + newId();
		this.set(token, id);
		return token;
	}

	/** Ends every token. Returns how many. */
	expire(): number {
		const { size } = this;
		this.clear();
		return size;
	}
}

export class Pbx {
	readonly bus = new Bus();
	readonly faults = new Faults();
	readonly tokens = new Tokens();
	readonly client = new Client();
	readonly requests = new Log(
		undefined,
		() => ({ total: 0, logins: 0, by_row: {} as Counts, by_status: {} as Counts }),
		(counts, { row, status }: RequestEntry) => {
			counts.total++;
			if (row === 'PUT /user_auth') counts.logins++;
			counts.by_row[row] = (counts.by_row[row] ?? 0) + 1;
			counts.by_status[status] = (counts.by_status[status] ?? 0) + 1;
		},
	);
	readonly deliveries = new Log(
		undefined,
		() => ({ tries: 0, accepted: 0, failed: 0, lost: 0 }),
		(counts, { result }: DeliveryEntry) => {
			counts.tries++;
			counts[result]++;
		},
	);
	readonly routing = new Log<RoutingEntry>();
	readonly notes: Note[] = [];
	readonly accounts = new Map<string, Account>();
	/** Address of this server, known once it listens. */
	url = '';
	settings: Settings;
	/** The explicit settings, which override any profile. */
	private explicit: Partial<Settings>;
	private readonly seed: ReturnType<typeof checkSeed>;

	/** Takes the seed and settings that a reset restores. Throws if one of them is invalid. */
	constructor(
		seed: Seed,
		private readonly firstSettings: Partial<Settings> = {},
	) {
		this.seed = checkSeed(seed);
		this.explicit = firstSettings;
		this.settings = makeSettings(firstSettings);
		this.plant();
	}

	/** The first account of the seed. Throws if the seed has none. */
	get firstAccount(): Account {
		const [account] = this.accounts.values();
		if (!account) throw new Error('The seed has no account');
		return account;
	}

	/** Changes settings. A profile changes only those never set explicitly. Throws if a value isn't allowed. */
	change(changes: Partial<Settings>): Settings {
		const explicit = { ...this.explicit, ...changes };
		this.settings = makeSettings(explicit);
		this.explicit = explicit;
		return this.settings;
	}

	/** Restores the seed and the initial settings. Clears logs, faults, and notes. Tokens stay valid, as on a PBX that runs. */
	reset(): void {
		this.explicit = {};
		this.change(this.firstSettings);
		for (const part of [this.faults, this.requests, this.deliveries, this.routing]) part.clear();
		this.notes.length = 0;
		this.plant();
		this.bus.publish('reset', () => ({}));
	}

	private plant(): void {
		this.accounts.clear();
		for (const seed of this.seed.accounts) {
			const account = makeAccount(seed, this.settings);
			this.accounts.set(account.id, account);
		}
	}
}
