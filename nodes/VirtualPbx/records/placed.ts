import type { IDataObject } from 'n8n-workflow';

import { areExtensions, numberOf } from '../values/numbers';
import type { CallLegs } from './call';
import { directionOf, firstLegOf } from './call';
import type { Leg } from './cdr';
import { cdrText, isOutbound, phoneOf } from './cdr';

/**
 * Tells a call that a colleague placed, and of which the PBX records only the leg to the other end: an extension calls a
 * number outside by a leg that is outbound, and no leg began the call.
 */
export function isPlacedAlone(legs: readonly IDataObject[]): boolean {
	return (
		firstLegOf(legs) === undefined &&
		legs.some((leg) => isToOutside(leg) && areExtensions(callerOf(leg)))
	);
}

/** Tells from some calls whether those that colleagues place have a leg of their own that begins them. */
export function havePlacedFirstLegs(calls: readonly CallLegs[]): boolean {
	return calls.some(({ legs }) => {
		const first = firstLegOf(legs);
		return first !== undefined && areExtensions(callerOf(first)) && legs.some(isToOutside);
	});
}

/**
 * Finds the two ends of a click-to-call among legs that have none which began them: the exchange calls a colleague's phone,
 * then the number outside.
 *
 * @returns undefined where they tell no such call: a call from outside may ring phones and a mobile, too
 */
export function clickToCall(legs: readonly Leg[]): { phone: Leg; outside: Leg } | undefined {
	const outside = legs.find(goesOutside);
	const phone = legs.find((leg) => leg !== outside && phoneOf(leg) !== undefined);
	if (!outside || !phone) return undefined;
	const isOwn = areExtensions(outside.from) || outside.from === phone.to;
	return isOwn || phone.from === outside.to ? { phone, outside } : undefined;
}

function goesOutside({ direction, to }: Pick<Leg, 'direction' | 'to'>): boolean {
	return isOutbound(direction) && isOutside(to);
}

function isToOutside(leg: IDataObject): boolean {
	const to = numberOf(cdrText(leg, 'CALLEE_ID_NUMBER') ?? '');
	return goesOutside({ direction: directionOf(leg), to });
}

function callerOf(leg: IDataObject): string {
	return numberOf(cdrText(leg, 'CALLER_ID_NUMBER') ?? '');
}

/** Tells a number outside from an extension and from the name of a user. */
export function isOutside(number: string | undefined): boolean {
	return (
		number !== undefined && /\d/.test(number) && !/\p{L}/u.test(number) && !areExtensions(number)
	);
}
