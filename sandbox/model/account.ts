import { Callflows } from './callflows';
import { Cdrs } from './cdrs';
import type { Device, User } from './types';
import { stableId } from './util';
import { Webhooks } from './webhooks';

/** An account's name, login, and realm (§5). */
export interface AccountIdentity {
	id: string;
	name: string;
	realm: string;
	login: string;
	password: string;
	ownerId: string;
	ownerRole: string;
}

/** A recording that can be fetched from `readyAt` (Unix milliseconds) on. */
export interface Recording {
	file: string;
	seconds: number;
	readyAt: number;
}

/** One account of the PBX and everything in it. */
export class Account {
	readonly callflows = new Callflows();
	readonly webhooks = new Webhooks();
	readonly cdrs = new Cdrs();
	readonly recordings = new Map<string, Recording>();

	constructor(
		readonly identity: AccountIdentity,
		private readonly employees: readonly User[],
		/** Sound files with their length in seconds. */
		readonly sounds: ReadonlyMap<string, number>,
	) {}

	get id(): string {
		return this.identity.id;
	}

	get realm(): string {
		return this.identity.realm;
	}

	users(): User[] {
		return [...this.employees];
	}

	/** Finds an employee by ID or internal number. */
	user(by: { id: string } | { extension: string }): User | undefined {
		return this.employees.find(({ id, extension }) =>
			'id' in by ? id === by.id : extension === by.extension,
		);
	}

	devices(): Device[] {
		return this.employees.flatMap(({ devices }) => devices);
	}

	device(wanted: string): Device | undefined {
		return this.devices().find(({ id }) => id === wanted);
	}

	/** Returns the ID that a stock Kazoo gives an employee's mailbox. */
	mailboxId({ extension }: User): string {
		return stableId(this.realm, `@mailbox:${extension}`);
	}

	/** Finds the owner of a mailbox, by its ID or the owner's. */
	mailboxOwner(id: string): User | undefined {
		return this.user({ id }) ?? this.employees.find((user) => this.mailboxId(user) === id);
	}

	/** Returns the ID that a stock Kazoo gives a sound file. */
	soundId(filename: string): string {
		return stableId(this.realm, `@media:${filename}`);
	}

	/** Finds the name of a sound file, by its name or ID. */
	soundFile(nameOrId: string): string | undefined {
		const names = [...this.sounds.keys()];
		return names.find((name) => name === nameOrId || this.soundId(name) === nameOrId);
	}

	/** Returns the ID that a stock Kazoo gives a recording of a month, `YYYYMM`. */
	recordingId(file: string, month: string): string {
		return `${month}-${stableId(this.realm, `@recording:${file}`)}`;
	}

	/** Finds a recording by its ID. */
	recordingById(id: string): Recording | undefined {
		const month = id.slice(0, 6);
		return [...this.recordings.values()].find(({ file }) => this.recordingId(file, month) === id);
	}
}
