import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../model/account';
import type { Device, EventName, User } from '../model/types';
import { newId } from '../model/util';
import { legView, makeLeg, type HangupCause, type Leg, type Party } from './leg';
import type { CallOrder } from './params';
import { truthOf } from './truth';

export type CallResult =
	| CallOrder['outcome']
	| 'played'
	| 'fax'
	| 'conference'
	| 'unroutable'
	| 'failed';

/** The parties of a call's first leg, and the devices it belongs to: for a click-to-call, all ring at the same time. */
export interface Ends {
	caller: Party;
	callee: Party;
	devices: readonly Device[];
}

/** The clock of a call: converts its seconds to real time, compressed by `speed`. */
class Timeline {
	/** Seconds of the call so far. */
	seconds = 0;
	private origin = performance.now();

	/** With an infinite speed, nothing waits. */
	constructor(readonly speed: number) {}

	/** Waits until a second of the call, or until `signal`. */
	async until(second: number, signal: AbortSignal): Promise<void> {
		if (this.speed === Infinity) this.seconds = Math.max(second, this.seconds);
		else if (second > this.seconds && !signal.aborted) {
			const due = this.origin + (second * 1000) / this.speed;
			await sleep(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {});
			const passed = ((performance.now() - this.origin) * this.speed) / 1000;
			this.seconds = signal.aborted ? Math.min(second, Math.max(this.seconds, passed)) : second;
		}
	}

	/** Runs work that takes real time, such as asking a web service. Its seconds count uncompressed. */
	async during<T>(work: Promise<T>): Promise<T> {
		const start = performance.now();
		try {
			return await work;
		} finally {
			const now = performance.now();
			this.seconds += (now - start) / 1000;
			this.origin = now - (this.seconds * 1000) / this.speed;
		}
	}
}

export type LegListener = (call: Call, leg: Leg, event: EventName) => void;

/** An active call: its legs, its clock, and the callflow steps it took. */
export class Call {
	readonly id = newId();
	readonly placedAt = new Date().toISOString();
	readonly legs: Leg[] = [];
	readonly steps: string[] = [];
	readonly timeline: Timeline;
	/** Its deliveries, including retries. */
	readonly deliveries: Array<Promise<unknown>> = [];
	/** The caller's leg, or the one to the employee's own phone for a click-to-call. */
	readonly first: Leg;
	/** For a click-to-call, the employee's other phones, which ring at the same time. */
	readonly otherPhones: Leg[];
	/** Whether the first leg was answered, as soon as that is known. */
	readonly pickedUp: Promise<boolean>;
	callflowId: string | undefined;
	/** The employee who rang last. Their mailbox takes the message if the flow names none. */
	lastRung: User | undefined;
	lastCause: HangupCause | undefined;
	bridged: Leg | undefined;
	/** Whether an employee's call went to the outside network. */
	isOutside = false;
	result: CallResult | undefined;
	recordingFile: string | undefined;
	hops = 0;
	/** Second of the call at which the caller gives up. */
	private cancelAt = Infinity;
	private abandoned = false;
	private tell: (isPickedUp: boolean) => void = () => undefined;
	private readonly line = new AbortController();

	constructor(
		readonly account: Account,
		readonly order: CallOrder,
		{ caller, callee, devices: [device, ...others] }: Ends,
		private readonly listener: LegListener,
	) {
		this.timeline = new Timeline(order.at === undefined ? (order.speed ?? 1) : Infinity);
		const direction = order.kind === 'click_to_call' ? 'outbound' : 'inbound';
		const made = { direction, created: 0, caller, callee } as const;
		const { call_id: callId } = order;
		this.first = makeLeg({ ...made, device, ...(callId !== undefined && { callId }) });
		this.otherPhones = others.map((other) =>
			makeLeg({ ...made, callee: { ...callee, user: other.username }, device: other }),
		);
		this.pickedUp = new Promise((resolve) => (this.tell = resolve));
	}

	/** The caller, as shown on the legs to the called side. */
	get caller(): Party {
		const { kind, caller_id: shown } = this.order;
		if (kind !== 'click_to_call') return this.first.caller;
		return shown === undefined ? this.first.callee : { ...this.first.callee, number: shown };
	}

	get now(): number {
		const { at } = this.order;
		return at === undefined ? Date.now() : (at + this.timeline.seconds) * 1000;
	}

	get hungUp(): boolean {
		return this.line.signal.aborted;
	}

	/** Announces a new ringing leg (§3). */
	start(leg: Leg): void {
		this.legs.push(leg);
		if (leg.other) this.first.other = leg;
		if (leg !== this.first && this.order.outcome === 'cancelled') {
			this.cancelAt = Math.min(this.cancelAt, leg.created + this.order.ring_seconds);
		}
		this.publish(leg, 'CHANNEL_CREATE');
	}

	/** Answers a leg (§3). Ignored if it was answered before. */
	answer(leg: Leg): void {
		if (leg.state !== 'ringing') return;
		leg.state = 'answered';
		leg.answered = this.timeline.seconds;
		if (leg === this.first) {
			// No one gives up a call that is answered.
			this.cancelAt = Infinity;
			this.tell(true);
		}
		this.publish(leg, 'CHANNEL_ANSWER');
	}

	/** Ends a leg (§3). Ignored if it has ended before. */
	end(leg: Leg, cause: HangupCause): void {
		if (leg.state === 'hangup') return;
		leg.state = 'hangup';
		leg.ended = this.timeline.seconds;
		leg.cause = cause;
		if (leg === this.first) this.tell(false);
		this.publish(leg, 'CHANNEL_DESTROY');
	}

	/** Waits until a second of the call. Returns false if the caller hung up first. */
	async until(second: number): Promise<boolean> {
		await this.timeline.until(Math.min(second, this.cancelAt), this.line.signal);
		if (this.cancelAt <= second) this.hangUp();
		return !this.hungUp;
	}

	/** Waits some seconds of the call. Returns false if the caller hung up first. */
	async pause(seconds: number): Promise<boolean> {
		return await this.until(this.timeline.seconds + seconds);
	}

	/** Hangs up on the caller's side. */
	hangUp(): void {
		this.line.abort();
	}

	/** Ends the call without events, as a reset does. */
	abandon(): void {
		this.abandoned = true;
		this.tell(false);
		this.line.abort();
	}

	note(step: string): void {
		this.steps.push(step);
	}

	/** Returns the call as the control side and the page show it. */
	view() {
		const { from, to, outcome } = this.order;
		return {
			...{ id: this.id, account_id: this.account.id, bridge_id: this.first.callId },
			callflow_id: this.callflowId ?? null,
			...{ from, to, outcome, speed: this.timeline.speed, placed_at: this.placedAt },
			state: this.result === undefined ? 'active' : 'ended',
			result: this.result ?? null,
			recording: this.recordingFile ?? null,
			steps: [...this.steps],
			legs: this.legs.map(legView),
			truth: truthOf(this),
		};
	}

	private publish(leg: Leg, event: EventName): void {
		if (!this.abandoned) this.listener(this, leg, event);
	}
}
