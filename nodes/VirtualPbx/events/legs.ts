import { textField } from './payload';
import type { CallEvent } from './parse';

/** Which legs of a call start the workflow; stored in workflows. */
export type LegMode = 'oncePerCall' | 'everyLeg' | 'inbound' | 'outbound';

type Direction = 'inbound' | 'outbound';

/** The direction of a leg as the switch sees it (§6 Call-Direction); undefined for anything else. */
export function directionOf(
	fields: CallEvent['fields'],
	name = 'Call-Direction',
): Direction | undefined {
	const text = textField(fields, name)?.toLowerCase();
	return text === 'inbound' || text === 'outbound' ? text : undefined;
}

/** The call ID of the leg that this one is connected with (§6 Other-Leg-Call-ID), where the event names one. */
export function otherLegOf({ fields }: CallEvent): string | undefined {
	return textField(fields, 'Other-Leg-Call-ID');
}

/** The `Bridge-ID` (§6), where the event carries it; the flat form has none, so that there it can only be custom data. */
export function givenBridgeId({ vars, fields }: CallEvent): string | undefined {
	const isFlat = textField(fields, 'hook_event') !== undefined;
	return textField(vars, 'Bridge-ID') ?? (isFlat ? undefined : textField(fields, 'Bridge-ID'));
}

/**
 * The id that ties the legs of a call together (§6): the `Bridge-ID`, or where there is none what it would be, the call ID
 * of the first leg. An outbound leg names it as its other leg.
 *
 * @param isFirst whether the leg stands for its call
 * @returns undefined where the event does not tell
 */
export function bridgeIdOf(event: CallEvent, isFirst: boolean): string | undefined {
	const isOutbound = directionOf(event.fields) === 'outbound';
	const isFirstOfPair = isFirst && otherDirectionOf(event) === 'outbound';
	const named = isOutbound && !isFirstOfPair ? otherLegOf(event) : undefined;
	return givenBridgeId(event) ?? named ?? (isFirst ? event.callId : undefined);
}

/**
 * What a leg is in its call, as far as one event tells:
 * `first`: it stands for its call. `other`: it does not. `alone`: it stands for a call without an inbound leg, unless
 * another leg of that call does. `open`: so it does where its other leg is of the same direction.
 */
export type Standing = 'first' | 'other' | 'alone' | 'open';

/**
 * Tells the call's first leg from its others (§6), from one event alone:
 * 1. The leg whose `Call-ID` is the `Bridge-ID`.
 * 2. The inbound leg: one that has no other `Bridge-ID`, and names no inbound leg.
 * 3. Of a call without an inbound leg, which may have a `Bridge-ID` that no leg has: the leg that names no other one, and
 * at the end of two legs of the same direction the one with the smaller `Call-ID`.
 */
export function standingOf(event: CallEvent): Standing {
	const bridgeId = givenBridgeId(event);
	if (bridgeId === event.callId) return 'first';

	const other = otherLegOf(event);
	const otherDirection = otherDirectionOf(event);
	const own = ownDirectionOf(event);
	if (bridgeId !== undefined && (own !== 'outbound' || bridgeId === other)) return 'other';
	if (other === undefined && otherDirection === undefined)
		return own === 'outbound' ? 'alone' : 'first';
	if (own === undefined || own === otherDirection) return standingOfPair(event, other);
	if (own === 'inbound') return 'first';
	return otherDirection === undefined ? 'open' : 'other';
}

/** Of two legs of the same direction. */
function standingOfPair({ hook, callId }: CallEvent, other: string | undefined): Standing {
	if (hook !== 'channel_destroy') return 'open';
	return other === undefined || callId < other ? 'alone' : 'other';
}

/** Tells whether a leg stands for its call, as far as its event alone tells. */
export function isFirstLeg(event: CallEvent): boolean {
	const standing = standingOf(event);
	return standing === 'first' || standing === 'alone';
}

/**
 * Tells whether a leg is one that the user chose.
 *
 * @param isFirst whether it stands for its call
 */
export function isChosenLeg(event: CallEvent, mode: LegMode, isFirst: boolean): boolean {
	if (mode === 'everyLeg') return true;
	return mode === 'oncePerCall' ? isFirst : directionOf(event.fields) === mode;
}

function otherDirectionOf({ fields }: CallEvent): Direction | undefined {
	return directionOf(fields, 'Other-Leg-Direction');
}

/** Where the event does not tell, the opposite of the other leg's. */
function ownDirectionOf(event: CallEvent): Direction | undefined {
	const other = otherDirectionOf(event);
	const opposite = other === 'inbound' ? 'outbound' : 'inbound';
	return directionOf(event.fields) ?? (other && opposite);
}
