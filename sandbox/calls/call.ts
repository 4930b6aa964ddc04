import type { Account } from '../model/account';
import { newId } from '../model/ids';
import type { EventName, User } from '../model/types';
import type { HangupCause } from './causes';
import { legView, makeLeg, type Leg, type Party } from './leg';
import type { CallOrder } from './params';
import { Timeline } from './timeline';

/** What came of a call. */
export type CallResult =
	| 'answered'
	| 'voicemail'
	| 'played'
	| 'busy'
	| 'no-answer'
	| 'declined'
	| 'cancelled'
	| 'unroutable'
	| 'failed';

/** Who the first leg of a call is between, and the device that it is the leg of. */
export interface Ends {
	caller: Party;
	callee: Party;
	device?: Leg['device'];
}

/** Told about everything that a leg goes through. */
export type LegListener = (call: Call, leg: Leg, event: EventName) => void;

/** A call under way: its legs, its clock and the callflow steps it took. */
export class Call {
	readonly id = newId();
	readonly placedAt = new Date().toISOString();
	readonly legs: Leg[] = [];
	readonly steps: string[] = [];
	readonly timeline: Timeline;
	/** Promises of its deliveries, retries included. */
	readonly deliveries: Array<Promise<unknown>> = [];
	/** The caller's leg; of a click-to-call the one to the employee's own phone. */
	readonly first: Leg;
	callflowId: string | undefined;
	/** The employee that rang last; their mailbox takes the message when the flow names none. */
	lastRung: User | undefined;
	lastCause: HangupCause | undefined;
	bridged: Leg | undefined;
	result: CallResult | undefined;
	recordingFile: string | undefined;
	hops = 0;
	/** Second of the call at which the caller gives up. */
	private cancelAt = Infinity;
	private abandoned = false;
	private readonly line = new AbortController();

	/** Takes the called account, the order, the caller's leg (not yet announced) and the listener. */
	constructor(
		readonly account: Account,
		readonly order: CallOrder,
		ends: Ends,
		private readonly listener: LegListener,
	) {
		this.timeline = new Timeline(order.speed ?? 1);
		const { device, ...parties } = ends;
		this.first = makeLeg({
			direction: order.kind === 'click_to_call' ? 'outbound' : 'inbound',
			created: 0,
			...parties,
			...(device ? { device } : {}),
		});
	}

	/** Who calls, as the legs to the called side name them. */
	get caller(): Party {
		return this.order.kind === 'click_to_call' ? this.first.callee : this.first.caller;
	}

	/** Whether the caller is gone. */
	get hungUp(): boolean {
		return this.line.signal.aborted;
	}

	/** Announces a leg: it rings (§3). */
	start(leg: Leg): void {
		this.legs.push(leg);
		if (leg.other) this.first.other = leg;
		if (leg !== this.first && this.order.outcome === 'cancelled') {
			this.cancelAt = Math.min(this.cancelAt, leg.created + this.order.ring_seconds);
		}
		this.tell(leg, 'CHANNEL_CREATE');
	}

	/** A party picks up (§3); without effect on a leg that was answered before. */
	answer(leg: Leg): void {
		if (leg.state !== 'ringing') return;
		leg.state = 'answered';
		leg.answered = this.timeline.seconds;
		this.tell(leg, 'CHANNEL_ANSWER');
	}

	/** A leg ends (§3); without effect on one that has ended before. */
	end(leg: Leg, cause: HangupCause): void {
		if (leg.state === 'hangup') return;
		leg.state = 'hangup';
		leg.ended = this.timeline.seconds;
		leg.cause = cause;
		this.tell(leg, 'CHANNEL_DESTROY');
	}

	/** Waits until a second of the call; gives false when the caller hung up first. */
	async until(second: number): Promise<boolean> {
		if (this.cancelAt > second) return await this.timeline.until(second, this.line.signal);
		await this.timeline.until(this.cancelAt, this.line.signal);
		this.hangUp();
		return false;
	}

	/** Waits some seconds of the call; gives false when the caller hung up first. */
	async pause(seconds: number): Promise<boolean> {
		return await this.until(this.timeline.seconds + seconds);
	}

	/** The caller puts the receiver down. */
	hangUp(): void {
		this.line.abort();
	}

	/** Ends the call without a word to anyone, as a reset does. */
	abandon(): void {
		this.abandoned = true;
		this.line.abort();
	}

	/** Notes a step of the callflow for people to read. */
	note(step: string): void {
		this.steps.push(step);
	}

	/** From the pick-up on, the caller's own leg no longer gives up by itself. */
	stay(): void {
		this.cancelAt = Infinity;
	}

	/** Shows the call to the control side and the page. */
	view() {
		const { from, to, outcome } = this.order;
		return {
			id: this.id,
			account_id: this.account.id,
			bridge_id: this.first.callId,
			callflow_id: this.callflowId ?? null,
			from,
			to,
			outcome,
			speed: this.timeline.speed,
			placed_at: this.placedAt,
			state: this.result === undefined ? 'active' : 'ended',
			result: this.result ?? null,
			recording: this.recordingFile ?? null,
			steps: [...this.steps],
			legs: this.legs.map(legView),
		};
	}

	private tell(leg: Leg, event: EventName): void {
		if (!this.abandoned) this.listener(this, leg, event);
	}
}

export type CallView = ReturnType<Call['view']>;
