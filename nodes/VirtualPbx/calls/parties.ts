import { isSameNumber } from '../util/party';
import type { Account, CallEnd, Employee, Leg, Parts } from './leg';
import { employeeAt, goesOut, isOwnPhone, isPhone } from './leg';
import { unansweredKind } from './outcome';

/** Who began a call: an employee, or someone outside the company. */
export type Caller = 'employee' | 'outside';

export interface Evidence {
	/** The leg that began the call. */
	first: Leg;
	/** The legs to phones and numbers. */
	called: readonly Leg[];
	account: Account;
}

export interface EvidenceRow {
	/** The source of the evidence: the platform's word, where the call went, the realm, other calls, or the form. */
	by: 'platform' | 'structure' | 'realm' | 'reading' | 'form';
	name: string;
	caller: Caller;
	/** Where it was seen. */
	source: string;
	holds(evidence: Evidence): boolean;
}

/**
 * Who began a call, by evidence, the strongest first. The form of the caller's number decides last: banks call from
 * three digits, and customers' texts can have letters. Each row has its test in test/unit/calls/evidence.test.ts.
 */
export const EVIDENCE: readonly EvidenceRow[] = [
	{
		by: 'platform',
		name: 'an emergency number was called',
		caller: 'employee',
		source: 'Kazoo: emergency_resource_used (2600hz/kazoo#6443)',
		holds: ({ first }) => first.origin === 'emergency',
	},
	{
		by: 'platform',
		name: 'a line placed it',
		caller: 'outside',
		source: 'Kazoo: Authorizing-Type resource, Global-Resource, Inception without a device',
		holds: ({ first }) => first.origin === 'line',
	},
	{
		by: 'platform',
		name: 'a device or user of the account placed it',
		caller: 'employee',
		source: '§6: Authorizing-ID, Owner-ID',
		holds: ({ first }) => first.origin === 'employee',
	},
	{
		by: 'platform',
		name: 'no device or user placed it, although the account names them',
		caller: 'outside',
		source: 'Kazoo: empty authorizing_id and owner_id of a call from a line',
		holds: ({ first, account }) =>
			first.origin === 'unnamed' ||
			(first.side === 'caller' && first.state !== 'unknown' && account.shown.namesOwnCallers),
	},
	{
		by: 'structure',
		name: 'the dialed number was called',
		caller: 'employee',
		source: '§2.4: the outbound leg has the number that the inbound leg dialed',
		holds: ({ first, called }) => called.some((leg) => isKnown(leg) && isReached(first.to, leg)),
	},
	{
		by: 'structure',
		name: 'a code was dialed',
		caller: 'employee',
		source: 'Kazoo: feature codes and speed dials, such as *001 and **5',
		holds: ({ first }) => first.to?.kind === 'code',
	},
	{
		by: 'structure',
		name: 'the caller is an extension that calls from outside have rung',
		caller: 'employee',
		source: '§2.4: calls from outside to the same extension',
		holds: ({ first, account }) =>
			!isOfOtherRealm(first) && account.shown.hasRung(first.from?.user),
	},
	{
		by: 'structure',
		name: "a full number was dialed, and the company's phones ring",
		caller: 'outside',
		source: 'blak3r/yaai#125: a bank calls from 900',
		holds: ({ first, called }) => first.to?.kind === 'outside' && called.some(isPhone),
	},
	{
		by: 'structure',
		name: 'a full number was dialed, and another one was called for it: a forwarded call',
		caller: 'outside',
		source:
			'2600hz/kazoo#4841: a forward to a cell phone, which shows the caller or the dialed number',
		holds: ({ first: { from, to }, called }) =>
			to?.kind === 'outside' &&
			called.some(
				(leg) =>
					isKnown(leg) && goesOut(leg) && [from?.number, to.number].includes(leg.from?.number),
			),
	},
	{
		by: 'realm',
		name: "the caller's user is of the account's realm",
		caller: 'employee',
		source: '§2.4: SIP URI of the source',
		holds: ({ first: { from } }) => from?.user !== undefined && from.realm === 'own',
	},
	{
		by: 'realm',
		name: "the caller's user is of another realm than the account's",
		caller: 'outside',
		source: '§2.4: SIP URI of the source',
		holds: ({ first }) => first.from?.user !== undefined && isOfOtherRealm(first),
	},
	{
		by: 'reading',
		name: 'other callers call the same number',
		caller: 'outside',
		source: '§2.4: the destination of other incoming calls',
		holds: ({ first: { to }, account }) =>
			to?.kind === 'outside' && account.shown.receivesOn(to.number),
	},
	{
		by: 'form',
		name: 'the caller looks like an extension or a SIP user',
		caller: 'employee',
		source: '§2.4, with the length of extensions from the credential',
		holds: ({ first: { from } }) => from?.user !== undefined,
	},
	{
		by: 'form',
		name: 'anything else',
		caller: 'outside',
		source: '§2.4, §6: inbound',
		holds: ({ first }) => first.from !== undefined || first.side === 'caller',
	},
];

/** Returns who began a call, by the first row that holds; undefined if none does. */
function callerBy(evidence: Evidence): Caller | undefined {
	return EVIDENCE.find((row) => row.holds(evidence))?.caller;
}

/** Returns whether the caller's host is neither the account's nor that of the dialed number. */
function isOfOtherRealm({ from, to }: Leg): boolean {
	return from?.realm === 'foreign' && from.host !== to?.host;
}

/** A leg that is known only from another one might just show the dialed number. */
function isKnown({ state }: Leg): boolean {
	return state !== 'unknown';
}

/** How many digits an outside line or a carrier can need in front of a number. */
const PREFIX_DIGITS = 3;

/** Returns whether a leg calls the number that was dialed, perhaps in another form, or with a prefix in front. */
export function isReached(dialed: CallEnd | undefined, leg: Leg): boolean {
	if (!goesOut(leg) || dialed?.number === undefined || leg.to?.number === undefined) return false;
	const [given, called] = [dialed.number, leg.to.number].map((text) => text.replace(/\D/g, ''));
	if (given === undefined || called === undefined || given === '' || called === '') return false;
	const isPrefixed = given.endsWith(called) && given.length - called.length <= PREFIX_DIGITS;
	const isLocal = dialed.kind === 'extension' && given.length >= 5 && called.endsWith(given);
	return isPrefixed || isLocal || isSameNumber(given, called);
}

/** Who placed a call: someone outside, or an employee to the outside or to another employee. */
export const CALL_TYPES = [
	{ value: 'incoming', name: 'Incoming', description: 'Someone outside the company called' },
	{ value: 'internal', name: 'Internal', description: 'An employee called another employee' },
	{ value: 'outgoing', name: 'Outgoing', description: 'An employee called an outside number' },
] as const;

export type CallType = (typeof CALL_TYPES)[number]['value'];

/** Returns who placed a call, by the order of evidence, regardless of leg directions. */
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
