import type { End } from '../util/party';
import { areExtensions, bareNumber, isHidden, isOutside, numberOf } from '../util/party';
import type { Employee, Leg } from './leg';

/** The legs of a call by their roles. */
export interface Parts {
	/** The leg that began the call; undefined if unknown. */
	first: Leg | undefined;
	/** The legs to phones and numbers. */
	called: readonly Leg[];
	/** For a click-to-call, the leg to the employee's phone, which the PBX calls first. */
	phone?: Leg | undefined;
}

/** Assigns roles to a call's legs, oldest first. For a click-to-call, the leg to the other end counts as called. */
export function partsOf(legs: readonly Leg[]): Parts {
	const first = firstLegOf(legs);
	const click = first === undefined || first.side === 'called' ? clickToCall(legs) : undefined;
	if (click) return { first: undefined, called: [click.other], phone: click.phone };
	return { first, called: legs.filter((leg) => leg !== first) };
}

/**
 * Finds the leg that began the call: the one whose own call ID is the Bridge-ID; else the inbound one (§6); else one
 * that isn't outbound (§2.4: not all directions are known). If there are several, such as after an attended transfer,
 * the one answered first.
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

/** Returns how surely a leg began its call, 0 for certain. */
function rankOf({ id, callId, side }: Leg): number {
	if (id !== undefined && id === callId) return 0;
	if (side === 'caller') return 1;
	return side === 'called' ? CALLED : 2;
}

/**
 * Returns whether a leg was answered before another. If both were at the same moment, the one that ended later wins.
 */
function isEarlier(leg: Leg, other: Leg): boolean {
	const [end, otherEnd] = [leg.at ?? Infinity, other.at ?? Infinity];
	const start = end - (leg.talk ?? 0) * 1000;
	const otherStart = otherEnd - (other.talk ?? 0) * 1000;
	return start < otherStart || (start === otherStart && end > otherEnd);
}

/**
 * Finds the two ends of a click-to-call (seen in the field) among legs that the PBX placed: an employee's phone, then
 * the other end. They name each other, or one shows the other as its caller. A call from outside can also ring phones
 * and a cell phone.
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

/** Returns whether a phone is called on behalf of its own user. */
export function isOwnPhone({ from, to, employee }: Leg): boolean {
	return from !== undefined && [to?.number, employee?.user].includes(from.number);
}

/** Returns whether the employee calls the outside number by name, or that number is shown as the employee's caller. */
function isShown(phone: Leg, outside: Leg): boolean {
	const caller = outside.from?.number;
	const isColleague = areExtensions(caller) || caller === phone.to?.number;
	return isColleague || isSame(phone.from, outside.to);
}

/** Who placed a call: someone outside, or an employee to the outside or to another employee. */
export const CALL_TYPES = [
	{ value: 'incoming', name: 'Incoming', description: 'Someone outside the company called' },
	{ value: 'internal', name: 'Internal', description: 'An employee called another employee' },
	{ value: 'outgoing', name: 'Outgoing', description: 'An employee called an outside number' },
] as const;

export type CallType = (typeof CALL_TYPES)[number]['value'];

/**
 * Returns who placed a call, regardless of leg directions: a device or user of the account, an extension or SIP user as
 * the caller, or an outside number that was both dialed and called. A company number shown as the caller proves
 * nothing.
 */
export function callTypeOf({ first, called, phone }: Parts): CallType | undefined {
	if (phone) return called.some(goesOut) ? 'outgoing' : 'internal';
	if (first === undefined) return typeOfCalled(called);
	if (first.placedBy === 'line') return 'incoming';
	if (isPlaced(first, called)) return typeOfPlaced(first, called);
	return first.from !== undefined || first.side === 'caller' ? 'incoming' : undefined;
}

/** Returns the type of an employee's call: to the outside, or to another employee. */
function typeOfPlaced({ to }: Leg, called: readonly Leg[]): CallType | undefined {
	const isToPhones = called.some(({ employee }) => employee !== undefined);
	if (called.some(goesOut)) return to && !isOutside(to) ? 'internal' : 'outgoing';
	if (to === undefined) return isToPhones ? 'internal' : undefined;
	return isOutside(to) && !isToPhones ? 'outgoing' : 'internal';
}

/** Returns whether an employee began a call. */
function isPlaced(first: Leg, called: readonly Leg[]): boolean {
	if (first.placedBy === 'employee' || first.employee !== undefined) return true;
	// A leg known only from another one might just show the dialed number.
	const isSent = (leg: Leg) => leg.state !== 'unknown' && isSame(leg.to, first.to);
	return isOutside(first.to) && called.some(isSent);
}

/** Returns the type of a call whose first leg is unknown, by the caller that the legs to phones and numbers show. */
function typeOfCalled(called: readonly Leg[]): CallType | undefined {
	const caller = callerOf(called);
	if (caller === undefined || called.every(isOwnPhone)) return undefined;
	if (employeeAt(caller)) return called.some(goesOut) ? 'outgoing' : 'internal';
	return called.some(({ employee }) => employee !== undefined) ? 'incoming' : undefined;
}

function callerOf(legs: readonly Leg[]): End | undefined {
	return legs.find(({ from }) => from !== undefined)?.from;
}

function isSame(one: End | undefined, other: End | undefined): boolean {
	const [own, given] = [one, other].map((end) => bareNumber(end?.text ?? ''));
	return own !== '' && own === given;
}

/** Returns the external party, caller or called. Undefined for internal calls, anonymous callers, and unknown types. */
export function customerOf({ first, called }: Parts, type: CallType | undefined): End | undefined {
	const ends = first ? [first, ...called] : called;
	if (type === 'outgoing') return ends.find(goesOut)?.to;
	const from = callerOf(ends);
	return type === 'incoming' && from && !isHidden(from.number) ? from : undefined;
}

/**
 * Returns the employee in a call: the caller if outgoing or internal, else the one with the longest call, else the only
 * one whose phone rang.
 */
export function employeeOf(parts: Parts, type: CallType | undefined): Employee | undefined {
	const { first, called, phone } = parts;
	if (phone) return withName(phone.employee, callerAmong(called));
	if (type === 'outgoing' || type === 'internal') return first?.employee ?? callerAmong(called);
	const longest = longestTalk(called.filter(({ employee }) => employee)) ?? longestTalk(called);
	const rang = longest ? [longest] : called.filter((leg) => isKnown(leg, first));
	const phones = rang.flatMap(({ employee }) => employee ?? []);
	const [only] = phones;
	return phones.every(({ user }) => user === only?.user) ? only : undefined;
}

/** Adds the name that another leg shows for the same user. */
function withName(own: Employee | undefined, shown: Employee | undefined): Employee | undefined {
	return own && own.user === shown?.user ? { ...own, name: own.name ?? shown.name } : own;
}

/** An answered leg's last peer must have been talking. */
function isKnown({ state }: Leg, first: Leg | undefined): boolean {
	return state !== 'unknown' || first?.state === 'answered';
}

function callerAmong(called: readonly Leg[]): Employee | undefined {
	for (const { from } of called) {
		const employee = employeeAt(from);
		if (employee) return employee;
	}
	return undefined;
}

/** Returns the answered leg with the longest duration; undefined if none was answered. */
export function longestTalk(legs: readonly Leg[]): Leg | undefined {
	const answered = legs.filter(({ state }) => state === 'answered');
	return answered.reduce<Leg | undefined>(
		(best, leg) => ((leg.talk ?? 0) > (best?.talk ?? -1) ? leg : best),
		undefined,
	);
}

/** Returns the employee at one end of a leg, if any. `others` are more texts that name the same end. */
export function employeeAt(
	end: End | undefined,
	...others: Array<string | undefined>
): Employee | undefined {
	const own = asExtension(end?.number);
	if (own !== undefined && areExtensions(own)) return { user: own, name: end?.name };
	const numbers = [own, ...others.map((other) => other && asExtension(numberOf(other)))];
	const user = numbers.find((number) => areExtensions(number)) ?? numbers.find(isUserName);
	return user === undefined ? undefined : { user, name: end?.name };
}

/** Returns whether a leg goes to a number outside. */
export function goesOut({ to }: Leg): boolean {
	return isOutside(to);
}

/** Distinguishes a SIP user name from a number and from placeholders for anonymous callers. */
function isUserName(user: string | undefined): boolean {
	return user !== undefined && /\p{L}/u.test(user) && !isHidden(user);
}

/** Returns the extension in a SIP user name such as `user_100_1`; any other text unchanged. */
function asExtension(text: string | undefined): string | undefined {
	return /^user_(\d{2,})(?:_\d+)?$/.exec(text ?? '')?.[1] ?? text;
}
