import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import { Log } from '../model/logs';
import type { Device } from '../model/types';
import type { Dispatcher } from '../delivery/dispatcher';
import { Call, type Ends, type LegListener } from './call';
import { numberParty, phoneParty } from './leg';
import type { CallOrder } from './params';
import { keepRecord } from './records';
import { truthOf, type Truth } from './truth';
import { runCall } from './walk';

/** How many finished calls stay readable. */
const CALLS_KEPT = 2000;
const TRUTHS_KEPT = 200_000;

/** Places calls, keeps track of them, and passes on the events of their legs. */
export class Exchange {
	private readonly calls = new Log<Call>(CALLS_KEPT);
	private readonly running = new Map<Call, Promise<void>>();
	private readonly ended = new Log<Truth>(TRUTHS_KEPT);

	constructor(
		private readonly pbx: Pbx,
		private readonly dispatcher: Pick<Dispatcher, 'emit' | 'stop'>,
	) {}

	/**
	 * Places a call and lets it run, from the employee's first device unless others are given. Returns
	 * undefined if there is no such account or employee.
	 */
	place(order: CallOrder, ...devices: Device[]): Call | undefined {
		const account = this.accountFor(order);
		const ends = account && endsOf(account, order, devices);
		if (!ends) return undefined;
		const { speed, legs } = this.pbx.settings;
		const call = new Call(account, { speed, legs, ...order }, ends, this.listener);
		this.calls.push(call);
		const run = runCall(call, this.pbx).finally(() => {
			this.running.delete(call);
			this.ended.push(truthOf(call));
			this.show(call);
		});
		this.running.set(call, run);
		return call;
	}

	/** Waits until a call has ended and, on request, until its events are delivered or given up. */
	async settled(call: Call, until: 'ended' | 'delivered'): Promise<void> {
		await this.running.get(call);
		if (until === 'delivered') await Promise.all(call.deliveries);
	}

	list(): Call[] {
		return this.calls.list();
	}

	/** Returns what happened in the calls that have ended, in the order of their ends. */
	truths(): Truth[] {
		return this.ended.list();
	}

	/** Finds a call by its ID or by its first leg's Call-ID. */
	get(id: string): Call | undefined {
		return this.list().find((call) => call.id === id || call.first.callId === id);
	}

	get active(): number {
		return this.running.size;
	}

	/** Ends every call without events, drops pending deliveries, and forgets all calls. */
	async clear(): Promise<void> {
		this.dispatcher.stop();
		for (const call of this.running.keys()) call.abandon();
		await Promise.all(this.running.values());
		this.calls.clear();
		this.ended.clear();
	}

	/** Does the same, and restores the seed and the settings. */
	async reset(): Promise<void> {
		await this.clear();
		this.pbx.reset();
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

	private accountFor({ account_id: id, kind, from, to }: CallOrder): Account | undefined {
		if (id !== undefined) return this.pbx.accounts.get(id);
		const accounts = [...this.pbx.accounts.values()];
		if (kind === 'click_to_call') return accounts.find((one) => one.user({ extension: from }));
		return accounts.find(({ callflows }) => callflows.match(to)) ?? accounts[0];
	}
}

/**
 * Returns the parties of a call. An internal number calls from the given device or the employee's
 * first one, others from outside. A click-to-call rings the devices, as if from the number to reach.
 * Returns undefined if there is no such device.
 */
function endsOf(account: Account, order: CallOrder, chosen: Device[]): Ends | undefined {
	const { from, to, kind, caller_name: name } = order;
	const employee = account.user({ extension: from });
	const devices = chosen.length > 0 ? chosen : (employee?.devices ?? []).slice(0, 1);
	const [device] = devices;
	const party = employee && device ? phoneParty(account, employee, device) : numberParty(from);
	const caller = { ...party, ...(name !== undefined && { name }) };
	const callee = numberParty(to, account.realm);
	if (kind !== 'click_to_call') return { caller, callee, devices };
	return device && { caller: callee, callee: caller, devices };
}
