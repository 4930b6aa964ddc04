import { inspect } from 'node:util';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { SANDBOX_LOGIN, SandboxClient } from '../../tools/sandbox-client';
import { startTrigger, storeCredential } from '../support/core';
import type { StoredCredential, TestTrigger } from '../support/core';

/** The result of one run of a step. */
export interface Result {
	items: IDataObject[];
	error?: Error | undefined;
}

/** One thing that the nodes do with the PBX: a row of the matrix. */
export interface Step {
	name: string;
	/** The heading to list it under. */
	section: string;
	/** An action node's operation, which sends each request at most four times. Lifecycle steps can send it more often. */
	isOperation: boolean;
	/** Prepares the step without a fault. Returns what to run with the fault. */
	prepare(bench: Bench): Promise<() => Promise<Result>>;
	/** Continues after the fault is gone. Returns what went wrong. */
	recover?(bench: Bench, result: Result): Promise<string[]>;
	/** On failure, restores the previous state, even if the PBX processed the request. */
	undoes?: boolean;
}

let cells = 0;

/** A sandbox PBX that runs one cell of the fault matrix at a time, with one resource of each kind. */
export class Bench {
	credential!: StoredCredential;
	private password = '';
	/** A recorded call from the call records. */
	call!: { callId: string; recordingUrl: string };
	private triggers: TestTrigger[] = [];

	private constructor(readonly sandbox: Sandbox) {}

	static async start(): Promise<Bench> {
		return new Bench(await startSandbox({ settings: { click_to_call: true } }));
	}

	/** Resets everything, with a new password, so that no cell reuses another's login. */
	async clear(): Promise<void> {
		await Promise.all(this.triggers.splice(0).map(async (trigger) => await trigger.close()));
		await this.sandbox.reset();
		this.password = `pass-word-${++cells}-of-the-matrix`;
		this.account.identity.password = this.password;
		this.account.webhooks.put({
			...{ id: 'webhook-one', name: 'CRM', uri: 'http://127.0.0.1:9/calls', http_verb: 'post' },
			...{ hook: 'channel_destroy', retries: 0, enabled: true },
		});
		this.account.callflows.put({
			...{ id: 'callflow-one', name: 'Main', numbers: ['555'], patterns: [], featurecode: false },
			...{ fakenumber: false, flow: { module: 'user', data: { id: 'u1' }, children: {} } },
		} as never);
		const { cdr, url } = await new SandboxClient(this.sandbox.url).addRecording({ bytes: 4000 });
		this.call = { callId: cdr.BRIDGE_ID ?? '', recordingUrl: url };
		const login = { ...SANDBOX_LOGIN, password: this.password };
		this.credential = await storeCredential({ baseUrl: this.sandbox.url, ...login });
	}

	async close(): Promise<void> {
		await this.clear();
		await this.sandbox.close();
	}

	/** The account, straight from the sandbox's memory. */
	get account() {
		return this.sandbox.pbx.firstAccount;
	}

	/** Sets up a trigger that n8n activates without retries, as legacy publishing does. The next `clear()` closes it. */
	async trigger(type: string, parameters: INodeParameters): Promise<TestTrigger> {
		const { credential } = this;
		const trigger = await startTrigger({ type, credential, parameters, way: 'older' });
		this.triggers.push(trigger);
		return trigger;
	}

	/** Returns what the PBX stores, without IDs and URLs that differ between runs. */
	state(): string {
		const { webhooks, callflows } = this.account;
		return [...webhooks.all().map(({ custom_data: _, ...rest }) => rest), ...callflows.all()]
			.map(({ id, ...rest }) => this.plain(rest, id))
			.sort()
			.join('\n');
	}

	/** Returns a value as text in any order of its fields, with everything that differs between runs masked. */
	plain(value: unknown, id = '\n'): string {
		return inspect(value, { sorted: true, depth: null, maxStringLength: null })
			.replaceAll(id, '<id>')
			.replaceAll(this.sandbox.url, '<pbx>')
			.replace(/127\.0\.0\.1:\d+/g, '<host>')
			.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>')
			.replace(/[0-9a-f]{32}/g, '<id>')
			.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|'6\d{10}'/g, '<time>');
	}

	/** The secrets that no message may contain: the password and the credential's token. */
	secrets(): string[] {
		const sealed = String(this.credential.read().authToken ?? '');
		return [this.password, sealed.split(':').at(-1) ?? ''].filter((secret) => secret !== '');
	}
}
