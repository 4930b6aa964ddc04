import type { IDataObject } from 'n8n-workflow';
import type { Sandbox, Settings } from '../../../sandbox';
import { forgetLogins } from '../../../nodes/VirtualPbx/pbx/session/login';
import { TAG_NAME } from '../../../nodes/VirtualPbx/pbx/events/webhookTag';
import { startTrigger } from '../core';
import { DEMO, startPbx } from '../sandbox';
import type { StoredCredential, TestTrigger, TriggerInput } from '../core';

type Webhooks = NonNullable<ReturnType<Sandbox['pbx']['accounts']['get']>>['webhooks'];
export type Webhook = ReturnType<Webhooks['all']>[number];

/** A sandbox PBX with webhooks of others in it, which nobody may touch, and event triggers on it. */
export class TriggerBench {
	private readonly foreign: Webhook[] = [];
	private triggers: TestTrigger[] = [];

	private constructor(
		readonly sandbox: Sandbox,
		readonly credential: StoredCredential,
	) {}

	/** Starts it; close it after the tests. */
	static async start(settings: Partial<Settings> = {}): Promise<TriggerBench> {
		const { sandbox, credential } = await startPbx({
			settings: { speed: 1000, retry_interval_seconds: 0, ...settings },
		});
		return new TriggerBench(sandbox, credential);
	}

	/** The webhooks of the account, straight from the sandbox's memory. */
	get store(): Webhooks {
		return this.sandbox.pbx.firstAccount.webhooks;
	}

	/** Sets up a trigger; it is closed by `clear()`. */
	async trigger(
		parameters: IDataObject = {},
		more: Partial<TriggerInput> = {},
	): Promise<TestTrigger> {
		const trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: this.credential,
			parameters: parameters as NonNullable<TriggerInput['parameters']>,
			...more,
		});
		this.triggers.push(trigger);
		return trigger;
	}

	/** The webhooks that call a URL. */
	at(url: string): Webhook[] {
		return this.store.all().filter(({ uri }) => uri === url);
	}

	/** The hooks registered for a trigger, sorted; a double shows as a double. */
	hooks(trigger: TestTrigger, side: 'production' | 'test' = 'production'): string[] {
		return this.at(trigger.url(side))
			.map(({ hook }) => hook)
			.sort();
	}

	/** The secrets that a trigger's webhooks carry; one when all is well. */
	secrets(trigger: TestTrigger): unknown[] {
		const marks = this.at(trigger.url()).map(({ custom_data: data }) => data?.[TAG_NAME]);
		return [...new Set(marks)];
	}

	/** How many requests the PBX has got, logins included; or those of a row of the interface. */
	requests(row?: string): number {
		const { total, by_row } = this.sandbox.pbx.requests.counters();
		return row === undefined ? total : (by_row[row] ?? 0);
	}

	/** How many logins it has got. */
	logins(): number {
		return this.requests('PUT /user_auth');
	}

	/** Adds a webhook as if made by someone else, or by a trigger that has lost sight of it. */
	add(webhook: Partial<Webhook>): Webhook {
		const whole: Webhook = {
			id: `id-${Math.random().toString(36).slice(2)}`,
			name: 'Someone else',
			uri: 'http://127.0.0.1:9/calls',
			http_verb: 'post',
			hook: 'channel_destroy',
			retries: 0,
			enabled: true,
			...webhook,
		};
		this.store.put(whole);
		return whole;
	}

	/** Adds webhooks of others that look like those of a trigger, but are not. */
	addForeign(trigger: TestTrigger): void {
		const url = trigger.url();
		const uris = [
			`${url}/`,
			`${url}?x=1`,
			url.slice(0, -1),
			`${url}2`,
			url.toUpperCase(),
			'http://127.0.0.1/webhook',
		];
		for (const uri of uris) this.foreign.push(structuredClone(this.add({ uri })));
	}

	/** Fails unless every foreign webhook stands as it was. */
	expectForeignUntouched(): void {
		expect(this.foreign.map(({ id }) => this.store.get(id))).toEqual(this.foreign);
	}

	/** Closes the triggers and puts the sandbox back to its start. */
	async clear(): Promise<void> {
		await Promise.all(this.triggers.map(async (trigger) => await trigger.close()));
		this.triggers = [];
		this.foreign.length = 0;
		forgetLogins();
		this.credential.write({ baseUrl: this.sandbox.url, ...DEMO, authToken: '' });
		await this.sandbox.reset();
	}

	async close(): Promise<void> {
		await this.clear();
		await this.sandbox.close();
	}
}
