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

	// A stock Kazoo gives mailboxes, sound files, and recordings IDs, the last ones with their month, `YYYYMM`.

	mailboxId({ extension }: User): string {
		return stableId(this.realm, `@mailbox:${extension}`);
	}

	mailboxOwner(id: string): User | undefined {
		return this.user({ id }) ?? this.employees.find((user) => this.mailboxId(user) === id);
	}

	soundId(filename: string): string {
		return stableId(this.realm, `@media:${filename}`);
	}

	soundFile(nameOrId: string): string | undefined {
		const names = [...this.sounds.keys()];
		return names.find((name) => name === nameOrId || this.soundId(name) === nameOrId);
	}

	recordingId(file: string, month: string): string {
		return `${month}-${stableId(this.realm, `@recording:${file}`)}`;
	}

	recordingById(id: string): Recording | undefined {
		const month = id.slice(0, 6);
		return [...this.recordings.values()].find(({ file }) => this.recordingId(file, month) === id);
	}
}
