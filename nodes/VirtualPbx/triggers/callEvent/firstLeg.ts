import type { IWebhookFunctions } from 'n8n-workflow';

import type { LegContext } from '../../calls/event';
import { calledEnds, goesOutside, legStateOf } from '../../calls/event';
import { legProfileOf } from '../../calls/legProfile';
import { causeCode } from '../../calls/outcome';
import { openPbx } from '../../parameters/credential';
import { readAccountId } from '../../parameters/options';
import { triggerScope } from '../../parameters/parameter';
import type { Cdr } from '../../pbx/cdrs/cdr';
import type { CallEvent } from '../../pbx/events/callEvent';
import type { Direction } from '../../pbx/events/eventParties';
import type { End } from '../../util/party';
import { bareNumber, isOutside } from '../../util/party';
import { BoundedMap } from '../../util/boundedMap';
import { DAY_MS, unixToGregorian } from '../../util/time';
import type { NodeRuntime } from '../runtime/nodeRuntime';
import { runtimeOf } from '../runtime/nodeRuntime';

/**
 * A leg's role in its call, as far as one event shows.
 * `first`: it stands for its call. `other`: it doesn't, since another leg surely does. `withoutFirst`: it stands for a
 * call without an inbound leg, unless another leg of that call already has. `open`: it stands for its call only if its
 * other leg doesn't, which that leg's event shows. Of two open legs that name each other, the second one stands for the
 * call.
 */
export type LegRole = 'first' | 'other' | 'withoutFirst' | 'open';

/**
 * Decides from one event whether its leg stands for its call (§6): when a click-to-call ends, the leg to the outside
 * number, which knows both ends; else the leg whose `Call-ID` is the `Bridge-ID`; else the inbound one. In a call
 * without one, the leg that names no other; and when two legs of the same direction end, the one with the smaller
 * `Call-ID`.
 * A leg never knows everything its other leg says. So it is `other` only if the other leg stands for the call whatever
 * it says: of any two legs, at least one does, alone or as the second open one.
 */
export function legRoleOf(event: CallEvent): LegRole {
	const { bridgeId, callId, otherLegId: other, direction, otherDirection } = event;
	const atEnd = roleByNumbers(event);
	if (atEnd || bridgeId === callId) return atEnd ?? 'first';

	if (direction === 'outbound' && otherDirection === 'inbound') return 'other';
	const own = ownDirectionOf(event);
	if (bridgeId !== undefined && bridgeId !== other && own !== 'outbound') return roleOfThird(event);
	if (other !== undefined) return roleBeside(event, own, other);
	return own === 'outbound' ? 'withoutFirst' : 'first';
}

/** Returns the role of a leg that isn't surely outbound and has the `Bridge-ID` of a leg that it doesn't name. */
function roleOfThird({ direction, otherLegId }: CallEvent): LegRole {
	if (direction === 'inbound') return otherLegId === undefined ? 'open' : 'other';
	return otherLegId === undefined ? 'withoutFirst' : 'open';
}

/** Returns the role of a leg that names another one. */
function roleBeside(event: CallEvent, own: Direction | undefined, other: string): LegRole {
	const { bridgeId, otherDirection } = event;
	if (own !== undefined && own === otherDirection) return roleInPair(event, other);
	if (bridgeId !== undefined || own === 'outbound') return 'open';
	return own === undefined ? 'withoutFirst' : 'first';
}

/**
 * Returns the role of one of two ended outbound legs, if one goes outside and one to a phone. Undefined if the numbers
 * don't show which, such as for two outside numbers. Each leg can also name the called number as its other leg's.
 */
function roleByNumbers(event: CallEvent): LegRole | undefined {
	const { hook, direction, otherLegId, otherDirection } = event;
	if (hook !== 'channel_destroy' || direction !== 'outbound' || otherDirection !== 'outbound')
		return undefined;
	const others = event.parties.otherCalled;
	const areTwo = isOutside(others) && !calledEnds(event).some((end) => isSame(end, others));
	if (goesOutside(event)) return areTwo ? undefined : 'withoutFirst';
	return isOutside(others) && otherLegId !== undefined ? 'open' : undefined;
}

function isSame(one: End, other: End | undefined): boolean {
	return bareNumber(one.text) === bareNumber(other?.text ?? '');
}

/** Returns the role of one of two legs of the same direction. */
function roleInPair({ hook, callId }: CallEvent, other: string): LegRole {
	return hook === 'channel_destroy' && callId < other ? 'withoutFirst' : 'open';
}

/** Returns whether a leg stands for its call, as far as its event alone shows. */
export function isFirstLeg(event: CallEvent): boolean {
	const role = legRoleOf(event);
	return role === 'first' || role === 'withoutFirst';
}

/** Defaults to the opposite of the other leg's direction. */
function ownDirectionOf({ direction, otherDirection: other }: CallEvent): Direction | undefined {
	const opposite = other === 'inbound' ? 'outbound' : 'inbound';
	return direction ?? (other && opposite);
}

/** A leg in its call, as far as this process knows. */
export interface LegInCall extends LegContext {
	/** Set if the call may start the workflow only once. */
	role?: LegRole | undefined;
}

/** Returns a leg's role, and whether it stands for its call, by everything this process knows. */
export function legInCall(context: IWebhookFunctions, event: CallEvent): LegInCall {
	const role = legRoleOf(event);
	const pair = role === 'open' ? pairOf(context, event) : undefined;
	const isFirst = role === 'open' ? pair !== undefined : role !== 'other';
	if (isFirst || !mayStandForCall(event)) return { role, isFirst, pair };
	return lackFirstLegs(context)
		? { role: 'withoutFirst', isFirst: true }
		: { role, isFirst: false };
}

/**
 * Returns whether an outbound leg might stand for its call if calls have no inbound leg (docs/internals/calls.md). Its
 * end is the call's end if it was answered or the caller hung up. After any other end, the call might ring elsewhere.
 */
function mayStandForCall(event: CallEvent): boolean {
	const { hook, direction, otherDirection } = event;
	if (direction !== 'outbound' || otherDirection === 'outbound') return false;
	if (hook !== 'channel_destroy') return true;
	return legStateOf(event) === 'answered' || causeCode(event.hangupCause) === 'ORIGINATOR_CANCEL';
}

/**
 * For all triggers together: more than n8n handles in 10 seconds, within which two legs of a call end. Each takes a few
 * kB, but up to 1 MiB if deliveries aren't verified and a stranger sends them.
 */
const MAX_OPEN_LEGS = 256;

/** Legs for which only the other one can show whether the call lacks a first leg, each with its trigger. */
const openLegs = new BoundedMap<CallEvent, { trigger: NodeRuntime; event: CallEvent }>(
	MAX_OPEN_LEGS,
);

/**
 * Finds the earlier event of an `open` leg's other leg, if that is open, too: then neither stands for the call by
 * itself, and the second one does. Only in this process: if another one received the first leg, the call starts
 * nothing.
 */
function pairOf(context: IWebhookFunctions, event: CallEvent): CallEvent | undefined {
	const trigger = runtimeOf(context);
	openLegs.set(event, { trigger, event });
	return openLegs.values().find((other) => other.trigger === trigger && arePair(event, other.event))
		?.event;
}

/** Returns whether one of two legs names the other, and neither names a third. */
function arePair(one: CallEvent, two: CallEvent): boolean {
	const isNamed = one.otherLegId === two.callId;
	const isNaming = two.otherLegId === one.callId;
	return (
		one.hook === two.hook &&
		(isNamed || isNaming) &&
		(isNamed || one.otherLegId === undefined) &&
		(isNaming || two.otherLegId === undefined)
	);
}

/** How long a received inbound leg counts as evidence. */
const SEEN_MS = 7 * DAY_MS;
/** How long the evidence from records counts. */
const READ_MS = 3_600_000;
/** The shortest time between two readings of records, and the time limit of each. */
const PAUSE_MS = 30_000;
const BUDGET_MS = 20_000;
/** How far back to read records until they suffice, in hours, and how many at most. */
const HOURS = [1, 24, 168];
const MAX_RECORDS = 500;
/** How far ahead the PBX's clock can be. */
const AHEAD_SECONDS = 3600;

/** Whether an account's calls have a first leg, as far as this process knows. Safe to lose. */
export class FirstLegEvidence {
	hasFirstLegs: boolean | undefined;
	/** When that expires and is learned again, in Unix milliseconds. */
	until = 0;
	/** When records were last read to learn it. */
	readAt = -Infinity;
	private loginId: string | undefined;

	/** Forgets what another account's calls have shown. */
	enterAccount(loginId: string): void {
		if (this.loginId !== undefined && this.loginId !== loginId)
			Object.assign(this, { hasFirstLegs: undefined, until: 0, readAt: -Infinity });
		this.loginId = loginId;
	}
}

/** Records that a trigger receives inbound legs. */
export function recordInbound(context: IWebhookFunctions, events: readonly CallEvent[]): void {
	if (!events.some(({ direction }) => direction === 'inbound')) return;
	const evidence = runtimeOf(context).memory(FirstLegEvidence);
	Object.assign(evidence, { hasFirstLegs: true, until: Date.now() + SEEN_MS });
}

/** Returns whether the PBX reports no first legs. If unknown, learns it from records in the background. */
function lackFirstLegs(context: IWebhookFunctions): boolean {
	const now = Date.now();
	const evidence = runtimeOf(context).memory(FirstLegEvidence);
	if (now > evidence.until && now - evidence.readAt >= PAUSE_MS) {
		evidence.readAt = now;
		void learn(context, evidence);
	}
	return evidence.hasFirstLegs === false;
}

/** Reads the newest records of the trigger's account, further and further back, until they suffice. */
async function learn(context: IWebhookFunctions, evidence: FirstLegEvidence): Promise<void> {
	try {
		const accountId = readAccountId(triggerScope(context));
		const pbx = await openPbx(context, { accountId, deadline: AbortSignal.timeout(BUDGET_MS) });
		const to = Math.ceil(unixToGregorian(Date.now() / 1000)) + AHEAD_SECONDS;
		for (const hours of HOURS) {
			const from = to - AHEAD_SECONDS - hours * 3600;
			const records: Cdr[] = [];
			for await (const record of pbx.cdrs.stream({ from, to }, MAX_RECORDS)) records.push(record);
			const { hasFirstLegs } = legProfileOf(records, Date.now());
			if (hasFirstLegs === undefined) continue;
			// An inbound leg received meanwhile is better evidence than records.
			if (evidence.until <= Date.now())
				Object.assign(evidence, { hasFirstLegs, until: Date.now() + READ_MS });
			return;
		}
	} catch {
		// Best effort: without permission to read records, the next event retries.
	}
}
