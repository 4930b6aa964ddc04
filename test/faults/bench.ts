import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { isObject } from '../../nodes/VirtualPbx/util/json';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { SANDBOX_LOGIN, SandboxClient } from '../../tools/sandbox-client';
import { startTrigger, storeCredential } from '../support/core';
import { operate } from '../support/operate';
import type { StoredCredential, TestTrigger } from '../support/core';

const FLOW = { module: 'user', data: { id: 'u1' }, children: {} };
let cells = 0;

/** The result of one run of a step. */
export interface Result {
	items: IDataObject[];
	error?: Error | undefined;
}

/** A sandbox PBX that runs one cell of the fault matrix at a time, with one resource of each kind. */
export class Bench {
	credential!: StoredCredential;
	password = '';
	/** A recorded call from the call records. */
	call!: { callId: string; recordingUrl: string };
	private triggers: TestTrigger[] = [];

	private constructor(readonly sandbox: Sandbox) {}

	static async start(): Promise<Bench> {
		return new Bench(await startSandbox({ settings: { click_to_call: true } }));
	}

	/** Resets everything, with a new password, so that no cell reuses another's login. */
	async clear(): Promise<void> {
		await Promise.all(this.triggers.map(async (trigger) => await trigger.close()));
		this.triggers = [];
		await this.sandbox.reset();
		this.password = `pass-word-${++cells}-of-the-matrix`;
		this.account.identity.password = this.password;
		this.account.webhooks.put({
			id: 'webhook-one',
			name: 'CRM',
			uri: 'http://127.0.0.1:9/calls',
			http_verb: 'post',
			hook: 'channel_destroy',
			retries: 0,
			enabled: true,
		});
		this.account.callflows.put({
			id: 'callflow-one',
			name: 'Main',
			numbers: ['555'],
			patterns: [],
			featurecode: false,
			fakenumber: false,
			flow: FLOW,
		} as never);
		this.call = await this.record();
		this.credential = await storeCredential({
			baseUrl: this.sandbox.url,
			...SANDBOX_LOGIN,
			password: this.password,
		});
	}

	async close(): Promise<void> {
		await this.clear();
		await this.sandbox.close();
	}

	/** The account, straight from the sandbox's memory. */
	get account() {
		return this.sandbox.pbx.firstAccount;
	}

	/** Runs one operation of the action node, such as `callflow:get`. */
	async run(name: string, parameters: INodeParameters): Promise<Result> {
		return await operate(this.credential, name, parameters);
	}

	/** Sets up a trigger that n8n activates without retries, as legacy publishing does. The next `clear()` closes it. */
	async trigger(type: string, parameters: INodeParameters): Promise<TestTrigger> {
		const trigger = await startTrigger({
			type,
			credential: this.credential,
			parameters,
			way: 'older',
		});
		this.triggers.push(trigger);
		return trigger;
	}

	/** Returns what the PBX stores, without IDs and URLs that differ between runs. */
	state(): string {
		const { webhooks, callflows } = this.account;
		const stored = [
			...webhooks.all().map(({ id, custom_data: _, ...rest }) => this.plain(sortFields(rest), id)),
			...callflows.all().map(({ id, ...rest }) => this.plain(sortFields(rest), id)),
		];
		return stored.sort().join('\n');
	}

	/** Returns a value as text, with everything that differs between runs masked. */
	plain(value: unknown, id = '\n'): string {
		return JSON.stringify(value)
			.replaceAll(id, '<id>')
			.replaceAll(this.sandbox.url, '<pbx>')
			.replace(/127\.0\.0\.1:\d+/g, '<host>')
			.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>')
			.replace(/[0-9a-f]{32}/g, '<id>')
			.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|"6\d{10}"/g, '<time>');
	}

	/** The secrets that no message may contain: the password and the credential's token. */
	secrets(): string[] {
		const sealed = String(this.credential.read().authToken ?? '');
		return [this.password, sealed.split(':').at(-1) ?? ''].filter((secret) => secret !== '');
	}

	private async record() {
		const { cdr, url } = await new SandboxClient(this.sandbox.url).addRecording({ bytes: 4000 });
		return { callId: cdr.BRIDGE_ID ?? '', recordingUrl: url };
	}
}

/** Sorts object fields at every depth: a PBX that rewrites a document can reorder them. */
function sortFields(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortFields);
	if (!isObject(value)) return value;
	const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
	return Object.fromEntries(fields.map(([name, field]) => [name, sortFields(field)]));
}
