import { callerBy, goesOut, isPhone, isReached } from './evidence';
import type { Account, CallEnd, Employee, Leg } from './leg';
import { employeeAt } from './leg';
import { unansweredKind } from './outcome';
import type { Parts } from './parts';
import { isOwnPhone } from './parts';

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
	const placer = placerOf(parts);
	if (phone || type === 'internal') return placer;
	const last = talksOf(parts, type).at(-1)?.employee;
	if (last || type === 'outgoing') return last ?? placer;
	// An employee who answered elsewhere isn't among these phones.
	if (called.some(isElsewhere)) return undefined;
	const rang = called.filter((leg) => surelyRang(leg, first));
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
	const placer = type === 'incoming' ? undefined : placerOf(parts);
	const own = phone ?? first;
	const ends = called.length === 0 ? [own] : called;
	const hasTalked = ends.some((leg) => leg?.state === 'answered');
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

function placerOf({ first, called, phone }: Parts): Employee | undefined {
	const shown = callerAmong(called);
	return phone ? withName(phone.employee, shown) : (first?.employee ?? shown);
}

/** Adds the name that another leg shows for the same user. */
function withName(own: Employee | undefined, shown: Employee | undefined): Employee | undefined {
	return own && own.user === shown?.user ? { ...own, name: own.name ?? shown.name } : own;
}

/**
 * Returns whether a phone surely rang. A leg that only the first one's event names might not have, unless the first leg
 * was answered: then that phone did it.
 */
function surelyRang({ state }: Leg, first: Leg | undefined): boolean {
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
