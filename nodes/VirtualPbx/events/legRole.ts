import { isOutside, readEnd } from '../calls/leg';
import type { LegContext } from './leg';
import type { CallEvent } from './parse';
import { textField } from './payload';

/**
 * The ID of the call (§6): the `Bridge-ID`, or what it would be, the call ID of the first leg, which an outbound leg
 * names as its other leg. A click-to-call has the ID of the phone's leg, with which it begins. Undefined where the event
 * does not tell.
 */
export function callIdOf(event: CallEvent, { isFirst, pair }: LegContext): string | undefined {
	const { bridgeId, callId, otherLeg: other, direction, otherDirection } = event;
	if (bridgeId !== undefined) return bridgeId;
	const isPair = pair !== undefined || otherDirection === 'outbound';
	const namesFirst = direction === 'outbound' && (!isPair || goesOutside(event));
	return (namesFirst ? other : undefined) ?? (isFirst || isPair ? callId : undefined);
}

/**
 * What a leg is in its call, as far as one event tells:
 * `first`: it stands for its call. `other`: it does not. `withoutFirst`: it stands for a call without an inbound leg, unless
 * another leg of that call does. `open`: so it does where its other leg is of the same direction.
 */
export type LegRole = 'first' | 'other' | 'withoutFirst' | 'open';

/**
 * Tells the leg that stands for its call (§6), from one event alone: of a click-to-call the one to the number outside, which
 * knows both ends; else the one whose `Call-ID` is the `Bridge-ID`; else the inbound one; of a call without one the leg
 * that names no other one, and at the end of two legs of the same direction the one with the smaller `Call-ID`.
 */
export function legRoleOf(event: CallEvent): LegRole {
	const { bridgeId, callId, otherLeg: other, otherDirection } = event;
	const atEnd = endOfClick(event);
	if (atEnd || bridgeId === callId) return atEnd ?? 'first';

	const own = ownDirectionOf(event);
	if (bridgeId !== undefined && (own !== 'outbound' || bridgeId === other)) return 'other';
	if (other === undefined && otherDirection === undefined)
		return own === 'outbound' ? 'withoutFirst' : 'first';
	return roleBeside(event, own);
}

/** Of a leg that names another one. */
function roleBeside(event: CallEvent, own: CallEvent['direction']): LegRole {
	const { otherLeg, otherDirection } = event;
	if (own === undefined || own === otherDirection) return roleInPair(event, otherLeg);
	if (own === 'inbound') return 'first';
	return otherDirection === undefined ? 'open' : 'other';
}

/** Of two outbound legs that have ended one goes outside and one to a phone: undefined where the event does not tell. */
function endOfClick(event: CallEvent): LegRole | undefined {
	const { hook, fields, direction, otherDirection } = event;
	if (hook !== 'channel_destroy' || direction !== 'outbound' || otherDirection !== 'outbound')
		return undefined;
	const isOut = goesOutside(event);
	const isOtherOut = isOutside(readEnd(textField(fields, 'Other-Leg-Destination-Number')));
	if (isOut === isOtherOut) return undefined;
	return isOut ? 'withoutFirst' : 'other';
}

/** Tells whether a leg is called at a number outside. */
function goesOutside({ fields }: CallEvent): boolean {
	const ends = ['Callee-ID-Number', 'Request'].flatMap(
		(name) => readEnd(textField(fields, name)) ?? [],
	);
	return ends.length > 0 && ends.every(isOutside);
}

/** Of two legs of the same direction. */
function roleInPair({ hook, callId }: CallEvent, other: string | undefined): LegRole {
	if (hook !== 'channel_destroy') return 'open';
	return other === undefined || callId < other ? 'withoutFirst' : 'other';
}

/** Tells whether a leg stands for its call, as far as its event alone tells. */
export function isFirstLeg(event: CallEvent): boolean {
	const role = legRoleOf(event);
	return role === 'first' || role === 'withoutFirst';
}

/** Where the event does not tell, the opposite of the other leg's. */
function ownDirectionOf({ direction, otherDirection: other }: CallEvent): CallEvent['direction'] {
	const opposite = other === 'inbound' ? 'outbound' : 'inbound';
	return direction ?? (other && opposite);
}
