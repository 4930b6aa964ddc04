import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import type { CallEvent, Device, Webhook } from '../model/types';
import type { Dispatcher } from '../delivery/dispatcher';
import { Call, type Ends, type LegListener } from './call';
import type { CallOrder } from './params';
import { keepRecord } from './records';
import { runCall } from './walk';

/** Calls that can be read. */
const CALLS_KEPT = 2000;

/** The exchange: places calls, keeps track of them, and tells everyone what their legs go through. */
export class Exchange {
	private readonly calls = new Map<string, Call>();
	private readonly running = new Map<Call, Promise<void>>();

	constructor(
		private readonly pbx: Pbx,
		private readonly dispatcher: Pick<Dispatcher, 'emit' | 'stop' | 'push'>,
	) {}

	/**
	 * Places a call and lets it run, from the employee's first device unless one is given. Gives nothing when there is
	 * no such account or employee.
	 */
	place(order: CallOrder, device?: Device): Call | undefined {
		const account = this.accountFor(order);
		const ends = account && endsOf(account, order, device);
		if (!ends) return undefined;
		const { speed, legs } = this.pbx.settings;
		const call = new Call(account, { speed, legs, ...order }, ends, this.listener);
		this.keep(call);
		const run = runCall(call, this.pbx).finally(() => {
			this.running.delete(call);
			this.show(call);
		});
		this.running.set(call, run);
		return call;
	}

	/** Waits until a call has ended, and, when wanted, until its events are delivered or given up. */
	async settled(call: Call, until: 'ended' | 'delivered'): Promise<void> {
		await this.running.get(call);
		if (until === 'delivered') await Promise.all(call.deliveries);
	}

	/** Sends an event that no call of the sandbox makes through a webhook; gives its Msg-ID. */
	async push(account: Account, webhook: Webhook, event: CallEvent): Promise<string> {
		return await this.dispatcher.push(account, webhook, event);
	}

	/** Gives the calls, oldest first. */
	list(): Call[] {
		return [...this.calls.values()];
	}

	/** Finds a call by its id or by the Call-ID of its first leg. */
	get(id: string): Call | undefined {
		return this.calls.get(id) ?? this.list().find((call) => call.first.callId === id);
	}

	/** Number of calls under way. */
	get active(): number {
		return this.running.size;
	}

	/** Ends every call without events, gives up the deliveries that wait, and forgets all. */
	async clear(): Promise<void> {
		this.dispatcher.stop();
		for (const call of this.running.keys()) call.abandon();
		await Promise.all(this.running.values());
		this.calls.clear();
	}

	private readonly listener: LegListener = (call, leg, event) => {
		if (call.order.legs !== 'outbound' || leg.direction === 'outbound') {
			if (event === 'CHANNEL_DESTROY') keepRecord(this.pbx, call, leg);
			this.dispatcher.emit(call, leg, event);
		}
		this.show(call);
	};

	private show(call: Call): void {
		this.pbx.bus.publish('call', () => call.view());
	}

	private keep(call: Call): void {
		this.calls.set(call.id, call);
		const [oldest] = this.calls.keys();
		if (this.calls.size > CALLS_KEPT && oldest !== undefined) this.calls.delete(oldest);
	}

	private accountFor({ account_id: id, kind, from, to }: CallOrder): Account | undefined {
		if (id !== undefined) return this.pbx.accounts.get(id);
		const accounts = [...this.pbx.accounts.values()];
		if (kind === 'click_to_call') return accounts.find((one) => one.user({ extension: from }));
		return accounts.find(({ callflows }) => callflows.match(to)) ?? accounts[0];
	}
}

/**
 * Who calls whom: an internal number calls from the device given or that employee's first one, others from outside.
 * A click-to-call comes to that device, as if from the number that it is to reach; nothing is given
 * when there is no such device.
 */
function endsOf(account: Account, order: CallOrder, chosen?: Device): Ends | undefined {
	const employee = account.user({ extension: order.from });
	const device = chosen ?? employee?.devices[0];
	const from = {
		number: order.from,
		name: order.caller_name ?? employee?.name ?? order.from,
		user: device?.username ?? order.from,
		realm: device ? account.realm : 'carrier.sandbox.local',
	};
	const to = { number: order.to, name: order.to, user: order.to, realm: account.realm };
	if (order.kind === 'click_to_call') return device && { caller: to, callee: from, device };
	return { caller: from, callee: to, ...(device ? { device } : {}) };
}
