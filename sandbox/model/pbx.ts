import { Client } from '../delivery/client';
import { Faults } from '../faults/faults';
import type { Account } from './account';
import { Bus } from './bus';
import { deliveryLog, Log, requestLog } from './logs';
import type { RoutingEntry } from './routing';
import { checkSeed, makeAccount, type Seed } from './seed';
import { makeSettings, type Settings } from './settings';
import { Tokens } from './tokens';
import type { Contact } from './types';

/** A body posted to the small CRM. */
export interface Note {
	id: string;
	receivedAt: string;
	body: unknown;
}

/** The sandbox's state, in memory. */
export class Pbx {
	readonly bus = new Bus();
	readonly faults = new Faults();
	readonly tokens = new Tokens();
	/** Sends deliveries and routing requests. */
	readonly client = new Client();
	readonly requests: ReturnType<typeof requestLog>;
	readonly deliveries: ReturnType<typeof deliveryLog>;
	readonly routing: Log<RoutingEntry>;
	readonly notes: Note[] = [];
	readonly contacts = new Map<string, Contact>();
	readonly accounts = new Map<string, Account>();
	/** Address of this server, known once it listens. */
	url = '';
	settings: Settings;
	/** The explicit settings, which override any profile. */
	private explicit: Partial<Settings>;
	private readonly accountsByLogin = new Map<string, Account>();

	/** Takes the seed and settings that a reset restores. Throws if one of them is invalid. */
	constructor(
		private readonly seed: Seed,
		private readonly firstSettings: Partial<Settings> = {},
	) {
		this.explicit = firstSettings;
		this.settings = makeSettings(firstSettings);
		this.requests = requestLog(this.settings.log_size);
		this.deliveries = deliveryLog(this.settings.log_size);
		this.routing = new Log(this.settings.log_size);
		this.plant();
	}

	/** The first account of the seed. Throws if the seed has none. */
	get firstAccount(): Account {
		const [account] = this.accounts.values();
		if (!account) throw new Error('The seed has no account');
		return account;
	}

	/** Finds an account by realm and login (§5). */
	findLogin(realm: string, login: string): Account | undefined {
		return this.accountsByLogin.get(`${realm}\n${login}`);
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
		this.faults.clear();
		this.requests.clear();
		this.deliveries.clear();
		this.routing.clear();
		this.notes.length = 0;
		this.plant();
		this.bus.publish('reset', () => ({}));
	}

	private plant(): void {
		const { accounts, contacts } = checkSeed(this.seed);
		this.accounts.clear();
		this.accountsByLogin.clear();
		this.contacts.clear();
		for (const account of accounts.map((seed) => makeAccount(seed, this.settings))) {
			this.accounts.set(account.id, account);
			this.accountsByLogin.set(`${account.realm}\n${account.identity.login}`, account);
		}
		for (const contact of contacts) this.contacts.set(contact.number, contact);
	}
}
