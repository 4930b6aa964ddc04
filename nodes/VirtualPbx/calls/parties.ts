import { bareNumber } from '../util/party';
import type { Account } from './account';
import type { CallEnd } from './ends';
import { callerBy, goesOut, isPhone, isReached } from './evidence';
import type { Employee, Leg } from './leg';
import { unansweredKind } from './outcome';

/** The legs of a call by their roles. */
export interface Parts {
	/** The leg that began the call; undefined if unknown. */
	first: Leg | undefined;
	/** The legs to phones and numbers. */
	called: readonly Leg[];
	/** Legs by which employees took the call over: a pickup, or a parked call. */
	joined: readonly Leg[];
	/** For a click-to-call, the leg to the employee's phone, which the PBX calls first. */
	phone?: Leg | undefined;
	account: Account;
}

/** Assigns roles to a call's legs, oldest first. For a click-to-call, the leg to the other end counts as called. */
export function partsOf(all: readonly Leg[], account: Account): Parts {
	const outer = all.filter(({ isInternal }) => isInternal !== true);
	const legs = outer.length > 0 ? outer : all;
	const first = firstLegOf(legs);
	const click = first === undefined || first.side === 'called' ? clickToCall(legs) : undefined;
	if (click)
		return { first: undefined, called: [click.other], joined: [], phone: click.phone, account };
	const others = legs.filter((leg) => leg !== first);
	const loops = others.filter(
		(leg) => isLoop(leg, legs) && leg.from?.number === first?.from?.number,
	);
	const placed = others.filter(({ side }) => side !== 'caller');
	return {
		first,
		called: withoutLoops(placed, loops),
		joined: others.filter((leg) => joins(leg, placed) && !loops.includes(leg)),
		account,
	};
}

/**
 * Finds the leg that began the call: the one whose own call ID is the Bridge-ID; else the inbound one (§6); else one
 * that isn't outbound (§2.4: not all directions are known). Of several, the one that began first.
 */
export function firstLegOf(legs: readonly Leg[]): Leg | undefined {
	return legs
		.filter((leg) => rankOf(leg) < CALLED)
		.reduce<
			Leg | undefined
		>((first, leg) => (first === undefined || isBefore(leg, first, legs) ? leg : first), undefined);
}

const CALLED = 3;

/** Returns how surely a leg began its call, 0 for certain. */
function rankOf({ id, callId, side }: Leg): number {
	if (id !== undefined && id === callId) return 0;
	if (side === 'caller') return 1;
	return side === 'called' ? CALLED : 2;
}

/** Records give seconds, and switches round them. */
const SAME_TIME_MS = 2000;

/**
 * Returns whether a leg began the call rather than another one. A loopback leg and one that dialed a code follow
 * others. Of two that began at the same time, a caller's with a full number comes before a pickup's.
 */
function isBefore(leg: Leg, other: Leg, legs: readonly Leg[]): boolean {
	const isFollower = (one: Leg) => isLoop(one, legs) || one.to?.kind === 'code';
	const isFull = ({ from }: Leg) => from?.user === undefined;
	const [began, otherBegan] = [beganAt(leg), beganAt(other)];
	const isClear = Math.abs(began - otherBegan) > SAME_TIME_MS;
	const order =
		rankOf(leg) - rankOf(other) ||
		Number(isFollower(leg)) - Number(isFollower(other)) ||
		(isClear ? began - otherBegan : 0) ||
		Number(isFull(other)) - Number(isFull(leg)) ||
		began - otherBegan ||
		(other.at ?? 0) - (leg.at ?? 0);
	return order < 0;
}

function beganAt({ at, talk = 0, beganAt: began }: Leg): number {
	return began ?? (at ?? Number.MAX_SAFE_INTEGER) - talk * 1000;
}

/** Returns whether a leg is an inbound one to a number that the PBX itself calls for the same caller (loopback). */
function isLoop(leg: Leg, legs: readonly Leg[]): boolean {
	const { from, to } = leg;
	if (leg.side !== 'caller' || to?.kind !== 'outside') return false;
	const isForward = legs.some(
		(one) =>
			one.side === 'caller' && one.to?.number !== to.number && one.from?.number === from?.number,
	);
	return isForward && legs.some((one) => one.side !== 'caller' && isSame(one.to, to));
}

/** Of the legs to a number, each loopback leg stands for one: its other half. Keeps those with the most talk. */
function withoutLoops(placed: readonly Leg[], loops: readonly Leg[]): readonly Leg[] {
	const halves = new Set<Leg>();
	for (const { to } of loops) {
		const same = placed.filter((leg) => isSame(leg.to, to) && !halves.has(leg));
		const [half] = same.sort((a, b) => (a.talk ?? 0) - (b.talk ?? 0));
		if (half && same.length > 1) halves.add(half);
	}
	return halves.size === 0 ? placed : placed.filter((leg) => !halves.has(leg));
}

/** Returns whether an employee's own leg takes over a call, rather than ringing a colleague, as a consultation does. */
function joins({ side, from, to }: Leg, placed: readonly Leg[]): boolean {
	const isTaking = to?.kind === 'code' || to?.kind === 'extension';
	const isEmployee = side === 'caller' && from?.user !== undefined && isTaking;
	return isEmployee && !placed.some((leg) => isSame(leg.to, to));
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
	return from?.number !== undefined && [to?.number, employee?.user].includes(from.number);
}

/** Returns whether the employee calls the outside number by name, or that number is shown as the employee's caller. */
function isShown(phone: Leg, outside: Leg): boolean {
	const { from } = outside;
	const isColleague = from?.kind === 'extension' || from?.number === phone.to?.number;
	return isColleague || isSame(phone.from, outside.to);
}

/** Who placed a call: someone outside, or an employee to the outside or to another employee. */
export const CALL_TYPES = [
	{ value: 'incoming', name: 'Incoming', description: 'Someone outside the company called' },
	{ value: 'internal', name: 'Internal', description: 'An employee called another employee' },
	{ value: 'outgoing', name: 'Outgoing', description: 'An employee called an outside number' },
] as const;

export type CallType = (typeof CALL_TYPES)[number]['value'];

/** Returns who placed a call, by the order of evidence (`evidence.ts`), regardless of leg directions. */
export function callTypeOf({ first, called, phone, account }: Parts): CallType | undefined {
	if (phone) return called.some(goesOut) ? 'outgoing' : 'internal';
	if (first === undefined) return typeOfCalled(called, account);
	const caller = callerBy({ first, called, account });
	if (caller === 'employee') return typeOfPlaced(first, called, account);
	return caller && 'incoming';
}

/** Returns the type of an employee's call: to the outside, or to another employee. */
function typeOfPlaced(
	{ to, origin }: Leg,
	called: readonly Leg[],
	{ shown }: Account,
): CallType | undefined {
	if (origin === 'emergency') return 'outgoing';
	const isToPhones = called.some(isPhone);
	if (called.some(goesOut)) {
		const isDialed = to === undefined || to.kind === 'outside' || to.kind === 'code';
		return isDialed || called.some((leg) => isReached(to, leg)) ? 'outgoing' : 'internal';
	}
	if (to === undefined) return isToPhones ? 'internal' : undefined;
	const isOwnNumber = isToPhones || shown.receivesOn(to.number);
	return to.kind === 'outside' && !isOwnNumber ? 'outgoing' : 'internal';
}

/** Returns the type of a call whose first leg is unknown, by the caller that the legs to phones and numbers show. */
function typeOfCalled(called: readonly Leg[], account: Account): CallType | undefined {
	const from = callerOf(called);
	if (from === undefined || called.every(isOwnPhone)) return undefined;
	const to = called.find((leg) => leg.from === from)?.to;
	const first: Leg = { state: 'unknown', from, to };
	if (callerBy({ first, called: [], account }) === 'employee')
		return called.some(goesOut) ? 'outgoing' : 'internal';
	return called.some(isPhone) ? 'incoming' : undefined;
}

function callerOf(legs: readonly Leg[]): CallEnd | undefined {
	return legs.find(({ from }) => from !== undefined)?.from;
}

function isSame(one: CallEnd | undefined, other: CallEnd | undefined): boolean {
	const [own, given] = [one, other].map((end) => bareNumber(end?.number ?? ''));
	return own !== '' && own === given;
}

/**
 * Returns the external party, caller or called; its number is undefined if it withholds it. Undefined for internal
 * calls and unknown types. Of an employee's call, the number that was reached, rather than what was dialed.
 */
export function customerOf(parts: Parts, type: CallType | undefined): CallEnd | undefined {
	const { first, called } = parts;
	if (type === 'incoming') return callerOf(first ? [first, ...called] : called);
	return type === 'outgoing' ? reachedBy(parts) : undefined;
}

/** Returns the number that an employee's call reached, else the dialed one. */
function reachedBy({ first, called }: Parts): CallEnd | undefined {
	const dialed = first?.to;
	const outside = called.filter(goesOut);
	const reached = outside.find((leg) => isReached(dialed, leg))?.to;
	if (reached) return isDialable(reached) ? reached : dialed;
	const isNumber = dialed?.kind === 'outside' || first?.origin === 'emergency';
	return isNumber
		? dialed
		: (outside[0]?.to ?? (dialed?.kind === 'extension' ? dialed : undefined));
}

/** Carriers put routing digits in front of numbers, which then have more digits than any (E.164). */
function isDialable({ number = '' }: CallEnd): boolean {
	return number.replace(/\D/g, '').length <= 15;
}

/** An employee who talked. */
export interface Talk {
	employee: Employee;
	/** In seconds. */
	seconds: number | undefined;
}

/**
 * Returns the employee in a call: of an internal one, who placed it; else who talked with the customer last, or the only
 * one whose phone rang.
 */
export function employeeOf(parts: Parts, type: CallType | undefined): Employee | undefined {
	const { first, called, phone } = parts;
	if (phone) return withName(phone.employee, callerAmong(called));
	const placer = placerOf(parts);
	if (type === 'internal') return placer;
	const last = talksOf(parts, type).at(-1)?.employee;
	if (last || type === 'outgoing') return last ?? placer;
	// Whoever answered elsewhere isn't among these phones.
	if (called.some(isElsewhere)) return undefined;
	const rang = called.filter((leg) => isKnown(leg, first));
	const phones = rang.flatMap(({ employee }) => employee ?? []);
	const [only] = phones;
	const isAnswered = called.some(({ state }) => state === 'answered');
	return !isAnswered && phones.every(({ user }) => user === only?.user) ? only : undefined;
}

/** Returns all employees who talked in a call, each once, in the order in which they ended; the last one last. */
export function talksOf(parts: Parts, type: CallType | undefined): Talk[] {
	const { first, called, joined, phone } = parts;
	const legs = [...called.filter(isPhone), ...joined].filter(
		({ state, employee }) => state === 'answered' && employee,
	);
	const talks = legs.map((leg) => ({ ...leg, employee: leg.employee as Employee }));
	const placer = type === 'incoming' ? undefined : employeeOfPlacer(parts);
	const own = phone ?? first;
	const hasTalked =
		[own, ...called].every((leg) => leg?.state === 'answered') ||
		called.some(({ state }) => state === 'answered');
	if (placer && own && hasTalked) talks.push({ ...own, employee: placer });
	const order = type === 'internal' ? [...talks].reverse() : talks.sort(byEnd);
	const byUser = new Map<string, Talk>();
	for (const { employee, talk } of order) {
		const before = byUser.get(employee.user);
		byUser.delete(employee.user);
		const seconds = before?.seconds === undefined ? talk : before.seconds + (talk ?? 0);
		byUser.set(employee.user, { employee: before?.employee ?? employee, seconds });
	}
	return [...byUser.values()];
}

/** Of legs that ended together, the shorter one began later: after a transfer, both ends are the same second. */
function byEnd(a: Leg, b: Leg): number {
	return (a.at ?? 0) - (b.at ?? 0) || (b.talk ?? 0) - (a.talk ?? 0);
}

function employeeOfPlacer(parts: Parts): Employee | undefined {
	return parts.phone ? withName(parts.phone.employee, callerAmong(parts.called)) : placerOf(parts);
}

function placerOf({ first, called }: Parts): Employee | undefined {
	return first?.employee ?? callerAmong(called);
}

/** Adds the name that another leg shows for the same user. */
function withName(own: Employee | undefined, shown: Employee | undefined): Employee | undefined {
	return own && own.user === shown?.user ? { ...own, name: own.name ?? shown.name } : own;
}

/** An answered leg's last peer must have been talking. */
function isKnown({ state }: Leg, first: Leg | undefined): boolean {
	return state !== 'unknown' || first?.state === 'answered';
}

/** A phone that stopped ringing because another one answered. */
function isElsewhere({ state, cause }: Leg): boolean {
	return state === 'unanswered' && unansweredKind(cause) === 'elsewhere';
}

function callerAmong(called: readonly Leg[]): Employee | undefined {
	for (const { from } of called) {
		const employee = employeeAt(from);
		if (employee) return employee;
	}
	return undefined;
}

/** Returns the party that talked last: the end of the answered leg that ended last. */
export function lastAnswered({ called, joined }: Parts): CallEnd | undefined {
	const answered = [...called, ...joined].filter(({ state }) => state === 'answered');
	const last = answered.sort(byEnd).at(-1);
	return last && (last.side === 'caller' ? last.from : last.to);
}

/** Returns the employee at one end of a leg, if any. `others` name the same end. */
export function employeeAt(
	end: CallEnd | undefined,
	...others: Array<CallEnd | undefined>
): Employee | undefined {
	const all = [end, ...others];
	const named =
		all.find((one) => one?.kind === 'extension') ?? all.find((one) => one?.kind === 'user');
	return named?.user === undefined ? undefined : { user: named.user, name: end?.name };
}
