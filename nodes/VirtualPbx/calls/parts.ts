import { areExtensions } from '../values/numbers';
import type { Leg } from './leg';
import { goesOut } from './leg';

/** The legs of a call by their parts in it. */
export interface Parts {
	/** The leg that began the call; undefined where none is known. */
	first: Leg | undefined;
	/** The legs to phones and numbers. */
	called: readonly Leg[];
	/** Of a click-to-call the colleague's phone, which the PBX calls first. */
	phone?: Leg | undefined;
}

/**
 * Finds the parts of a call's legs. Of a click-to-call, which nobody began, the leg to the other end counts as called.
 *
 * @param legs oldest first
 */
export function partsOf(legs: readonly Leg[]): Parts {
	const first = firstLegOf(legs);
	const click = first === undefined || first.side === 'called' ? clickToCall(legs) : undefined;
	if (click) return { first: undefined, called: [click.other], phone: click.phone };
	return { first, called: legs.filter((leg) => leg !== first) };
}

/**
 * Finds the leg that began the call: the one whose own call ID is the Bridge-ID, where the PBX gives call IDs (§6);
 * else the inbound one (§6: the Bridge-ID is the Call-ID of the inbound leg); else one that is not outbound, since the
 * values of a direction are not all known (§2.4); else undefined. Of several, as a transfer with a consultation has, it is
 * the one that was picked up first.
 */
export function firstLegOf(legs: readonly Leg[]): Leg | undefined {
	let first: Leg | undefined;
	let best = CALLED;
	for (const leg of legs) {
		const rank = rankOf(leg);
		const isBetter = rank < best || (first && rank === best && isEarlier(leg, first));
		if (!isBetter) continue;
		first = leg;
		best = rank;
	}
	return first;
}

const CALLED = 3;

/** How surely a leg began its call, the surest first. */
function rankOf({ id, callId, side }: Leg): number {
	if (id !== undefined && id === callId) return 0;
	if (side === 'caller') return 1;
	return side === 'called' ? CALLED : 2;
}

/** Tells whether a leg was picked up before another; of two at the same moment the one that ended later. */
function isEarlier(leg: Leg, other: Leg): boolean {
	const [end, otherEnd] = [leg.at ?? Infinity, other.at ?? Infinity];
	const start = end - (leg.talk ?? 0) * 1000;
	const otherStart = otherEnd - (other.talk ?? 0) * 1000;
	return start < otherStart || (start === otherStart && end > otherEnd);
}

/**
 * Finds the two ends of a click-to-call (seen in the field) among legs that the PBX has called itself: a colleague's phone,
 * then the other end. They name each other, or the legs show the one as the caller of the other.
 *
 * @returns undefined where they tell no such call: a call from outside may ring phones and a mobile, too
 */
function clickToCall(legs: readonly Leg[]): { phone: Leg; other: Leg } | undefined {
	if (legs.some(({ side }) => side !== 'called')) return undefined;
	const outside = legs.find(goesOut);
	const phones = legs.filter((leg) => leg !== outside && leg.employee !== undefined);
	const phone = phones.find(isOwnPhone) ?? phones[0];
	const other = outside ?? legs.find((leg) => leg !== phone);
	if (!phone || !other) return undefined;
	const isClick = isOwnPhone(phone) || names(phone, other) || names(other, phone);
	return isClick || (outside && isShown(phone, outside)) ? { phone, other } : undefined;
}

function names({ otherId }: Leg, { id }: Leg): boolean {
	return id !== undefined && otherId === id;
}

/** A phone that is called in the name of its own user. */
export function isOwnPhone({ from, to, employee }: Leg): boolean {
	return from !== undefined && [to?.number, employee?.user].includes(from.number);
}

/** The colleague calls the number outside by name, or the number stands as the caller of the colleague. */
function isShown(phone: Leg, outside: Leg): boolean {
	const caller = outside.from?.number;
	const isColleague = areExtensions(caller) || caller === phone.to?.number;
	return isColleague || phone.from?.number === outside.to?.number;
}
