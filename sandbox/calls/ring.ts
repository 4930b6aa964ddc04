import type { Device, User } from '../model/types';
import type { Call } from './call';
import type { HangupCause } from './causes';
import { makeLeg, type Leg, type Party } from './leg';

/** A device or outside line to ring, with its delay and ring time in seconds. */
export interface RingTarget {
	callee: Party;
	device?: Device;
	user?: User;
	delay: number;
	timeout: number;
}

type Reaction = 'answer' | 'USER_BUSY' | 'CALL_REJECTED' | 'NO_ANSWER';

interface Moment {
	at: number;
	target: RingTarget;
	what: 'create' | Reaction;
}

/** Returns how the person at a target reacts, and after how many seconds of ringing. */
function reactionOf({ order }: Call, target: RingTarget): { after: number; what: Reaction } {
	const { outcome, answered_by: chosen, ring_seconds: after } = order;
	const silence = { after: target.timeout, what: 'NO_ANSWER' } as const;
	if (outcome === 'busy') return { after: 0, what: 'USER_BUSY' };
	if (after > target.timeout) return silence;
	if (outcome === 'declined') return { after, what: 'CALL_REJECTED' };
	const isChosen =
		chosen === undefined || chosen === target.callee.number || chosen === target.device?.id;
	return outcome === 'answered' && isChosen ? { after, what: 'answer' } : silence;
}

function agenda(call: Call, targets: RingTarget[]): Moment[] {
	const moments = targets.flatMap((target): Moment[] => {
		const { after, what } = reactionOf(call, target);
		return [
			{ at: target.delay, target, what: 'create' },
			{ at: target.delay + after, target, what },
		];
	});
	return moments.sort((one, other) => one.at - other.at);
}

function createLeg(call: Call, { callee, device }: RingTarget): Leg {
	const leg = makeLeg({
		direction: 'outbound',
		caller: call.caller,
		callee,
		other: call.first,
		created: call.timeline.seconds,
		...(device ? { device } : {}),
	});
	call.start(leg);
	return leg;
}

function endAll(call: Call, legs: Iterable<Leg>, cause: HangupCause): void {
	for (const leg of legs) call.end(leg, cause);
}

/**
 * Rings targets in parallel until one answers (§2.3 rule 3). The others end with LOSE_RACE. Returns
 * the answered leg, or undefined with the reason in `call.lastCause`.
 */
export async function ring(call: Call, targets: RingTarget[]): Promise<Leg | undefined> {
	const start = call.timeline.seconds;
	const ringing = new Map<RingTarget, Leg>();
	for (const { at, target, what } of agenda(call, targets)) {
		if (!(await call.until(start + at))) {
			endAll(call, ringing.values(), 'ORIGINATOR_CANCEL');
			call.lastCause = 'ORIGINATOR_CANCEL';
			return undefined;
		}
		if (what === 'create') {
			call.lastRung = target.user ?? call.lastRung;
			ringing.set(target, createLeg(call, target));
			continue;
		}
		const leg = ringing.get(target);
		if (!leg) continue;
		ringing.delete(target);
		if (what === 'answer') {
			connect(call, leg);
			endAll(call, ringing.values(), 'LOSE_RACE');
			return leg;
		}
		call.end(leg, what);
		call.lastCause = what;
	}
	return undefined;
}

/** Connects the caller to the answered leg. */
function connect(call: Call, leg: Leg): void {
	call.stay();
	call.bridged = leg;
	call.first.other = leg;
	call.answer(leg);
	call.answer(call.first);
}

/** Lets the two parties talk, then ends both legs. */
export async function talk(call: Call, leg: Leg): Promise<void> {
	const { talk_seconds: seconds, hangup_by: by } = call.order;
	await call.pause(seconds);
	const legs = by === 'caller' || call.hungUp ? [call.first, leg] : [leg, call.first];
	endAll(call, legs, 'NORMAL_CLEARING');
	call.result = 'answered';
}
