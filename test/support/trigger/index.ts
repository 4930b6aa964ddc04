import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { forgetLogins } from '../../../nodes/VirtualPbx/pbx/login';
import type { Sandbox, Settings } from '../../../sandbox';
import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';
import { startTrigger } from '../core';
import type { StoredCredential, TestTrigger, TriggerInput } from '../core';
import { startPbx } from '../sandbox';

type Webhooks = NonNullable<ReturnType<Sandbox['pbx']['accounts']['get']>>['webhooks'];
export type Webhook = ReturnType<Webhooks['all']>[number];

/** A sandbox PBX with event triggers, and with foreign webhooks that must stay untouched. */
export class TriggerBench {
	private readonly foreign: Webhook[] = [];
	private triggers: TestTrigger[] = [];

	private constructor(
		readonly sandbox: Sandbox,
		readonly credential: StoredCredential,
	) {}

	/** Starts the bench. Close it after the tests. */
	static async start(settings: Partial<Settings> = {}): Promise<TriggerBench> {
		const { sandbox, credential } = await startPbx({
			settings: { speed: 1000, retry_interval_seconds: 0, ...settings },
		});
		return new TriggerBench(sandbox, credential);
	}

	/** The account's webhooks, straight from the sandbox's memory. */
	get store(): Webhooks {
		return this.sandbox.pbx.firstAccount.webhooks;
	}

	/** Sets up a trigger, which `clear()` closes. */
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

	/** Returns the webhooks that call a URL. */
	at(url: string): Webhook[] {
		return this.store.all().filter(({ uri }) => uri === url);
	}

	/** Returns a trigger's registered hooks, sorted, with duplicates. */
	hooks(trigger: TestTrigger, side: 'production' | 'test' = 'production'): string[] {
		return this.at(trigger.url(side))
			.map(({ hook }) => hook)
			.sort();
	}

	/** Returns the secrets of a trigger's webhooks: exactly one if all is well. */
	secrets(trigger: TestTrigger): unknown[] {
		const tags = this.at(trigger.url()).map(({ custom_data: data }) => data?.[TAG_NAME]);
		return [...new Set(tags)];
	}

	/** Counts the PBX's requests, logins included, or those of one row of the contract. */
	requests(row?: string): number {
		const { total, by_row } = this.sandbox.pbx.requests.counters();
		return row === undefined ? total : (by_row[row] ?? 0);
	}

	logins(): number {
		return this.requests('PUT /user_auth');
	}

	/** Adds a webhook as if made by someone else, or by a trigger that lost track of it. */
	add(webhook: Partial<Webhook>): Webhook {
		const whole: Webhook = {
			...{ id: randomUUID(), name: 'Someone else', uri: 'http://127.0.0.1:9/calls' },
			...{ http_verb: 'post', hook: 'channel_destroy', retries: 0, enabled: true },
			...webhook,
		};
		this.store.put(whole);
		return whole;
	}

	/** Adds foreign webhooks that resemble a trigger's. */
	addForeign(trigger: TestTrigger): void {
		const url = trigger.url();
		const ends = [`${url}/`, `${url}?x=1`, url.slice(0, -1), `${url}2`];
		for (const uri of [...ends, url.toUpperCase(), 'http://127.0.0.1/webhook'])
			this.foreign.push(structuredClone(this.add({ uri })));
	}

	/** Fails if any foreign webhook has changed. */
	expectForeignUntouched(): void {
		expect(this.foreign.map(({ id }) => this.store.get(id))).toEqual(this.foreign);
	}

	/** Closes the triggers and resets the sandbox. */
	async clear(): Promise<void> {
		await Promise.all(this.triggers.map(async (trigger) => await trigger.close()));
		this.triggers = [];
		this.foreign.length = 0;
		forgetLogins();
		this.credential.write({ baseUrl: this.sandbox.url, ...SANDBOX_LOGIN, authToken: '' });
		await this.sandbox.reset();
	}

	async close(): Promise<void> {
		await this.clear();
		await this.sandbox.close();
	}
}
