import { startSandbox, type CallOrder, type Sandbox, type Settings } from '../../../sandbox';
import type { Account } from '../../../sandbox/model/account';
import { HOOKS, type FlowNode } from '../../../sandbox/model/types';
import type { Call } from '../../../sandbox/calls/call';
import { newId } from '../../../sandbox/model/util';
import { sender, type Send } from './http';
import { Receiver, type Received } from './receiver';

/** A sandbox whose first account sends every event to a receiver. */
export class Listening {
	readonly receiver = new Receiver();
	private running: Sandbox | undefined;

	get sandbox(): Sandbox {
		if (!this.running) throw new Error('The sandbox is not open');
		return this.running;
	}

	get account(): Account {
		return this.sandbox.pbx.firstAccount;
	}

	/** Sends to the PBX without a token. */
	readonly bare: Send = async (...request) =>
		await sender(`${this.sandbox.url}/v1/pbx`)(...request);

	/** Sends to the PBX with a valid token. */
	readonly send: Send = async (method, path, body, headers) => {
		const token = this.sandbox.pbx.tokens.issue(this.account);
		return await this.bare(method, path, body, { 'x-auth-token': token, ...headers });
	};

	/** Sends with a valid token below the account. */
	readonly own: Send = async (method, path, ...rest) =>
		await this.send(method, `/accounts/${this.account.id}${path}`, ...rest);

	/** Sends to the control side of the sandbox. */
	readonly control: Send = async (...request) =>
		await sender(`${this.sandbox.url}/sandbox`)(...request);

	async open(settings: Partial<Settings> = {}): Promise<void> {
		await this.receiver.open();
		this.running = await startSandbox({
			settings: { speed: 10_000, retry_interval_seconds: 0.01, ...settings },
		});
		this.listen();
	}

	/** Registers one webhook for each of some hooks, in place of all others. */
	listen(hooks: readonly (typeof HOOKS)[number][] = HOOKS, more: object = {}): void {
		const { webhooks } = this.account;
		for (const { id } of webhooks.all()) webhooks.remove(id);
		for (const hook of hooks) {
			const webhook = { id: newId(), name: hook, uri: this.receiver.url, hook, retries: 2 };
			webhooks.put({ ...webhook, http_verb: 'post', enabled: true, ...more });
		}
	}

	/** Adds a callflow of a number. */
	putFlow(number: string, flow: FlowNode, id = newId()): void {
		const rest = { patterns: [], featurecode: false, fakenumber: false };
		this.account.callflows.put({ id, name: number, numbers: [number], ...rest, flow });
	}

	/** Goes back to a fresh sandbox with its webhooks. */
	async renew(): Promise<void> {
		await this.sandbox.reset();
		this.receiver.clear();
		this.listen();
	}

	/** Places a call and waits for its end; gives it with what was received meanwhile. */
	async call(order: Partial<CallOrder> = {}): Promise<{ call: Call; events: Received[] }> {
		const seen = this.receiver.received.length;
		const call = await this.sandbox.call({ from: '12125550123', to: '100', ...order });
		return { call, events: this.receiver.received.slice(seen) };
	}

	async close(): Promise<void> {
		await this.running?.close();
		await this.receiver.close();
	}
}

/** Opens such a sandbox for a file of tests, fresh for each of them. */
export function useListening(settings: Partial<Settings> = {}): Listening {
	const listening = new Listening();
	beforeAll(async () => await listening.open(settings));
	beforeEach(async () => await listening.renew());
	afterAll(async () => await listening.close());
	return listening;
}
