import { textField } from './fields';
import type { Fields } from './fields';
import type { CallEvent } from './parse';

/** Which legs of a call start the workflow; stored in workflows. */
export type LegMode = 'oncePerCall' | 'everyLeg' | 'inbound' | 'outbound';

/** The direction of a leg as the switch sees it (§6 Call-Direction); undefined for anything else. */
export function directionOf(
	fields: Fields,
	name = 'Call-Direction',
): 'inbound' | 'outbound' | undefined {
	const text = textField(fields, name)?.toLowerCase();
	return text === 'inbound' || text === 'outbound' ? text : undefined;
}

/** The id that ties the legs of a call together (§6), where the event carries it. */
export function bridgeIdOf({ vars, fields }: CallEvent): string | undefined {
	return textField(vars, 'Bridge-ID') ?? textField(fields, 'Bridge-ID');
}

/**
 * Tells the call's first leg from its others without any memory, so that exactly one leg stands for a call (§6):
 * 1. with a `Bridge-ID`: the leg whose `Call-ID` equals it;
 * 2. without: the leg that names no other leg;
 * 3. where both name each other (destroy): the inbound one, and of two alike the one with the smaller `Call-ID`.
 */
export function isFirstLeg(event: CallEvent): boolean {
	const bridgeId = bridgeIdOf(event);
	if (bridgeId !== undefined) return bridgeId === event.callId;

	const other = textField(event.fields, 'Other-Leg-Call-ID');
	const otherDirection = directionOf(event.fields, 'Other-Leg-Direction');
	if (other === undefined && otherDirection === undefined) return true;

	const own = directionOf(event.fields) ?? opposite(otherDirection);
	const isDecided = own !== undefined && own !== (otherDirection ?? opposite(own));
	if (isDecided) return own === 'inbound';
	if (event.hook !== 'channel_destroy') return false;
	return other === undefined || event.callId < other;
}

/** Tells whether a leg is one that the user chose. */
export function isChosenLeg(event: CallEvent, mode: LegMode): boolean {
	if (mode === 'everyLeg') return true;
	return mode === 'oncePerCall' ? isFirstLeg(event) : directionOf(event.fields) === mode;
}

function opposite(direction: 'inbound' | 'outbound' | undefined) {
	if (direction === undefined) return undefined;
	return direction === 'inbound' ? 'outbound' : 'inbound';
}
