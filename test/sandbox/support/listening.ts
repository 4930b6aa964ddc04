import { startSandbox, type CallOrder, type Sandbox, type Settings } from '../../../sandbox';
import type { Account } from '../../../sandbox/model/account';
import { HOOKS, type FlowNode } from '../../../sandbox/model/types';
import type { Call } from '../../../sandbox/calls/call';
import { newId } from '../../../sandbox/model/util';
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

	async open(settings: Partial<Settings> = {}): Promise<void> {
		await this.receiver.open();
		this.running = await startSandbox({
			settings: { speed: 10_000, retry_interval_seconds: 0.01, ...settings },
		});
		this.listen();
	}

	/** Registers one webhook per hook. */
	listen(custom?: Record<string, unknown>, retries = 2): void {
		for (const hook of HOOKS) {
			const webhook = { id: newId(), name: hook, uri: this.receiver.url, hook, retries };
			this.account.webhooks.put({
				...webhook,
				http_verb: 'post',
				enabled: true,
				...(custom ? { custom_data: custom } : {}),
			});
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

/** Tells events in short: what, on which leg, and with which cause. */
export const inShort = (events: Received[]): string[] =>
	events.map(({ body: { name, args } }) =>
		[
			name.slice('CHANNEL_'.length),
			args['Call-Direction'],
			args['Callee-ID-Number'] ?? args.Request,
			args['Hangup-Cause'],
		]
			.filter((part) => part !== undefined)
			.join(' '),
	);
