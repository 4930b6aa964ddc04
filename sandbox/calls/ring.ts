import type { Device, User } from '../model/types';
import type { Call } from './call';
import { makeLeg, numberParty, phoneParty, type HangupCause, type Leg, type Party } from './leg';

/** A device or outside line to ring, with its delay and ring time in seconds. */
export interface RingTarget {
	callee: Party;
	device?: Device;
	user?: User | undefined;
	role?: Leg['role'];
	delay: number;
	timeout: number;
}

type Reaction = 'answer' | 'USER_BUSY' | 'CALL_REJECTED' | 'NO_ANSWER';

interface Moment {
	at: number;
	target: RingTarget;
	what: 'create' | 'pickup' | Reaction;
}

/** Returns how the person at a target reacts, and after how many seconds of ringing. */
function reactionOf({ order }: Call, target: RingTarget): { after: number; what: Reaction } {
	const { outcome, answered_by: chosen, ring_seconds: after, picked_up_by: other } = order;
	const silence = { after: target.timeout, what: 'NO_ANSWER' } as const;
	if (outcome === 'busy') return { after: 0, what: 'USER_BUSY' };
	if (after > target.timeout) return silence;
	if (outcome === 'declined') return { after, what: 'CALL_REJECTED' };
	const isAnyone = chosen === undefined && other === undefined;
	const isChosen = isAnyone || chosen === target.callee.number || chosen === target.device?.id;
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
	const [target] = targets;
	if (call.order.picked_up_by !== undefined && target)
		moments.push({ at: call.order.ring_seconds, target, what: 'pickup' });
	return moments.sort((one, other) => one.at - other.at);
}

/** Starts a leg beside the first one. */
function createLeg(call: Call, parts: Omit<Parameters<typeof makeLeg>[0], 'created'>): Leg {
	const leg = makeLeg({ other: call.first, created: call.timeline.seconds, ...parts });
	call.start(leg);
	return leg;
}

/** Starts the leg to a device or an outside line. */
function ringTarget(call: Call, { callee, device, role }: RingTarget): Leg {
	const { shown_number: number = '' } = call.order;
	const caller = device || number === '' ? call.caller : { ...call.caller, number, user: number };
	return createLeg(call, { direction: 'outbound', caller, callee, device, role });
}

function phoneOf({ account }: Call, extension = '') {
	const user = account.user({ extension });
	const device = user?.devices[0];
	return device && { device, party: phoneParty(account, user, device) };
}

type Phone = NonNullable<ReturnType<typeof phoneOf>>;

/** Starts the leg of an employee who dials a code to take a call over. */
const dialCode = (call: Call, { party: caller, device }: Phone, code: string): Leg =>
	createLeg(call, {
		...{ direction: 'inbound', caller, device },
		callee: numberParty(code, call.account.realm),
	});

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
			ringing.set(target, ringTarget(call, target));
			continue;
		}
		if (what === 'pickup') {
			const phone = phoneOf(call, call.order.picked_up_by);
			if (!phone) continue;
			const leg = dialCode(call, phone, `**${target.callee.number}`);
			connect(call, leg);
			endAll(call, ringing.values(), 'PICKED_OFF');
			return leg;
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

function connect(call: Call, leg: Leg): void {
	call.bridged = leg;
	call.first.other = leg;
	call.answer(leg);
	call.answer(call.first);
}

/** Lets the two parties talk, then ends both legs. A call can go on with another employee. */
export async function talk(call: Call, leg: Leg): Promise<void> {
	const { talk_seconds: seconds, then_seconds: more = seconds, hangup_by: by } = call.order;
	await call.pause(seconds);
	const next = call.hungUp ? undefined : await passOn(call, leg);
	if (next) await call.pause(more);
	const last = next ?? leg;
	const legs = by === 'caller' || call.hungUp ? [call.first, last] : [last, call.first];
	endAll(call, legs, 'NORMAL_CLEARING');
	call.result = 'answered';
}

/** Transfers a call, or parks it until someone retrieves it. Returns the leg to the next employee, if any. */
async function passOn(call: Call, leg: Leg): Promise<Leg | undefined> {
	const { transferred_to: to, retrieved_by: by, ring_seconds: seconds } = call.order;
	const phone = phoneOf(call, to ?? by);
	if (!phone) return undefined;
	call.end(leg, 'BLIND_TRANSFER');
	const { party: callee, device } = phone;
	const isTransfer = to !== undefined;
	const rung =
		isTransfer && createLeg(call, { direction: 'outbound', caller: call.caller, callee, device });
	await call.pause(seconds);
	const next = rung || dialCode(call, phone, '*401');
	connect(call, next);
	return next;
}

/** Forwards a call from a phone to an outside number: the switch calls itself (loopback) and then the carrier. */
export async function forward(call: Call, number: string): Promise<void> {
	const { outcome, ring_seconds: seconds } = call.order;
	const parts = { caller: call.caller, callee: numberParty(number), isForwarded: true };
	const loop = createLeg(call, { ...parts, direction: 'outbound', role: 'loopback' });
	const back = createLeg(call, { ...parts, direction: 'inbound', role: 'loopback', other: loop });
	const line = createLeg(call, { ...parts, direction: 'outbound', other: back });
	call.note(`forwards to ${number}`);
	if (!(await call.pause(seconds)) || outcome !== 'answered') {
		if (outcome === 'busy') call.lastCause = 'USER_BUSY';
		else call.lastCause = outcome === 'cancelled' ? 'ORIGINATOR_CANCEL' : 'NO_ANSWER';
		return endAll(call, [line, back, loop], call.lastCause);
	}
	for (const leg of [loop, back]) call.answer(leg);
	connect(call, line);
	await talk(call, line);
	endAll(call, [back, loop], 'NORMAL_CLEARING');
}
