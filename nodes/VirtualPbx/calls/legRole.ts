import type { CallEvent } from '../pbx/events/parse';
import { textField } from '../pbx/events/payload';
import { bareNumber } from '../util/numbers';
import type { LegContext } from './eventLeg';
import type { End } from './leg';
import { isOutside, readEnd } from './leg';

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

type Direction = CallEvent['direction'];

/**
 * The role of a leg in its call, as far as one event shows:
 * `first`: it stands for its call. `other`: it does not, since another one surely does. `withoutFirst`: it stands for a call
 * without an inbound leg, unless another leg of that call did before. `open`: it stands for its call only where its other leg
 * does not, which that leg's event shows: of two open legs that name each other the second one.
 */
export type LegRole = 'first' | 'other' | 'withoutFirst' | 'open';

/**
 * Decides from one event alone whether its leg stands for its call (§6): at the end of a click-to-call the leg to the number
 * outside, which knows both ends; else the one whose `Call-ID` is the `Bridge-ID`; else the inbound one; of a call without one
 * the leg that names no other one, and at the end of two legs of the same direction the one with the smaller `Call-ID`.
 * A leg never knows all that its other leg says. So it is `other` only by what makes the other one stand whatever it says:
 * of any two legs at least one stands, alone or as the second open one.
 */
export function legRoleOf(event: CallEvent): LegRole {
	const { bridgeId, callId, otherLeg: other, direction, otherDirection } = event;
	const atEnd = roleByNumbers(event);
	if (atEnd || bridgeId === callId) return atEnd ?? 'first';

	if (direction === 'outbound' && otherDirection === 'inbound') return 'other';
	const own = ownDirectionOf(event);
	if (bridgeId !== undefined && bridgeId !== other && own !== 'outbound') return roleOfThird(event);
	if (other !== undefined) return roleBeside(event, own, other);
	return own === 'outbound' ? 'withoutFirst' : 'first';
}

/** Of a leg that is not surely outbound, and has the `Bridge-ID` of a leg that it does not name. */
function roleOfThird({ direction, otherLeg }: CallEvent): LegRole {
	if (direction === 'inbound') return otherLeg === undefined ? 'open' : 'other';
	return otherLeg === undefined ? 'withoutFirst' : 'open';
}

/** Of a leg that names another one. */
function roleBeside(event: CallEvent, own: Direction, other: string): LegRole {
	const { bridgeId, otherDirection } = event;
	if (own !== undefined && own === otherDirection) return roleInPair(event, other);
	if (bridgeId !== undefined || own === 'outbound') return 'open';
	return own === undefined ? 'withoutFirst' : 'first';
}

/**
 * Of two outbound legs that have ended, one may go outside and one to a phone. Undefined where the numbers don't show which,
 * such as for two numbers outside. Each may name the number that was called as that of its other leg, too.
 */
function roleByNumbers(event: CallEvent): LegRole | undefined {
	const { hook, fields, direction, otherLeg, otherDirection } = event;
	if (hook !== 'channel_destroy' || direction !== 'outbound' || otherDirection !== 'outbound')
		return undefined;
	const others = readEnd(textField(fields, 'Other-Leg-Destination-Number'));
	const areTwo = isOutside(others) && !calledEnds(event).some((end) => isSame(end, others));
	if (goesOutside(event)) return areTwo ? undefined : 'withoutFirst';
	return isOutside(others) && otherLeg !== undefined ? 'open' : undefined;
}

/** Whether a leg is called at a number outside. */
function goesOutside(event: CallEvent): boolean {
	const ends = calledEnds(event);
	return ends.length > 0 && ends.every(isOutside);
}

function calledEnds({ fields }: CallEvent): End[] {
	return ['Callee-ID-Number', 'Request'].flatMap((name) => readEnd(textField(fields, name)) ?? []);
}

function isSame(one: End, other: End | undefined): boolean {
	return bareNumber(one.text) === bareNumber(other?.text ?? '');
}

/** Of two legs of the same direction. */
function roleInPair({ hook, callId }: CallEvent, other: string): LegRole {
	return hook === 'channel_destroy' && callId < other ? 'withoutFirst' : 'open';
}

/** Tells whether a leg stands for its call, as far as its event alone tells. */
export function isFirstLeg(event: CallEvent): boolean {
	const role = legRoleOf(event);
	return role === 'first' || role === 'withoutFirst';
}

/** Where the event does not tell, the opposite of the other leg's. */
function ownDirectionOf({ direction, otherDirection: other }: CallEvent): Direction {
	const opposite = other === 'inbound' ? 'outbound' : 'inbound';
	return direction ?? (other && opposite);
}
