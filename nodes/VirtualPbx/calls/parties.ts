import { bareNumber } from '../values/numbers';
import type { Employee, End, Leg } from './leg';
import { colleagueAt, goesOut, isHidden, isOutside } from './leg';
import type { Parts } from './parts';
import { isOwnPhone } from './parts';

/** Who placed a call: somebody outside, or a colleague, to the outside or to a colleague. */
export const CALL_TYPES = [
	{ value: 'incoming', name: 'Incoming', description: 'Someone outside called' },
	{ value: 'internal', name: 'Internal', description: 'A colleague called a colleague' },
	{ value: 'outgoing', name: 'Outgoing', description: 'A colleague called someone outside' },
] as const;

export type CallType = (typeof CALL_TYPES)[number]['value'];

/**
 * Tells who placed a call, whatever its legs' directions: a device or user of the account, an extension or SIP user as
 * the caller, or the same number outside that was dialed and called. A company number shown as the caller tells nothing.
 *
 * @returns undefined where nothing tells
 */
export function callTypeOf({ first, called, phone }: Parts): CallType | undefined {
	if (phone) return called.some(goesOut) ? 'outgoing' : 'internal';
	if (first === undefined) return typeOfCalled(called);
	if (first.placedBy === 'line') return 'incoming';
	if (isPlaced(first, called)) return typeOfPlaced(first, called);
	return first.from !== undefined || first.side === 'caller' ? 'incoming' : undefined;
}

/** Of a call that a colleague has begun: to the outside, or to a colleague. */
function typeOfPlaced({ to }: Leg, called: readonly Leg[]): CallType | undefined {
	const isToPhones = called.some(({ employee }) => employee !== undefined);
	if (called.some(goesOut)) return to && !isOutside(to) ? 'internal' : 'outgoing';
	if (to === undefined) return isToPhones ? 'internal' : undefined;
	return isOutside(to) && !isToPhones ? 'outgoing' : 'internal';
}

/** Tells whether a colleague has begun a call. */
function isPlaced(first: Leg, called: readonly Leg[]): boolean {
	if (first.placedBy === 'colleague' || first.employee !== undefined) return true;
	// What is only said of another leg may be what was dialed.
	const isSent = (leg: Leg) => leg.state !== 'unknown' && isSame(leg.to, first.to);
	return isOutside(first.to) && called.some(isSent);
}

/** Of a call whose first leg is not known: the caller that the legs to phones and numbers show. */
function typeOfCalled(called: readonly Leg[]): CallType | undefined {
	const caller = callerOf(called);
	if (caller === undefined || called.every(isOwnPhone)) return undefined;
	if (colleagueAt(caller)) return called.some(goesOut) ? 'outgoing' : 'internal';
	return called.some(({ employee }) => employee !== undefined) ? 'incoming' : undefined;
}

function callerOf(legs: readonly Leg[]): End | undefined {
	return legs.find(({ from }) => from !== undefined)?.from;
}

function isSame(one: End | undefined, other: End | undefined): boolean {
	const [own, given] = [one, other].map((end) => bareNumber(end?.text ?? ''));
	return own !== '' && own === given;
}

/** The party outside, whoever called; undefined for internal calls, hidden numbers, and where nothing tells. */
export function customerOf({ first, called }: Parts, type: CallType | undefined): End | undefined {
	const ends = first ? [first, ...called] : called;
	if (type === 'outgoing') return ends.find(goesOut)?.to;
	const from = callerOf(ends);
	return type === 'incoming' && from && !isHidden(from.number) ? from : undefined;
}

/**
 * The colleague in a call: of an outgoing or internal call the caller, else who talked longest, else the only one who
 * rang.
 */
export function employeeOf(parts: Parts, type: CallType | undefined): Employee | undefined {
	const { first, called, phone } = parts;
	if (phone) return phone.employee;
	if (type === 'outgoing' || type === 'internal') return first?.employee ?? callerAmong(called);
	const longest = longestTalk(called);
	const rang = longest ? [longest] : called.filter((leg) => isKnown(leg, first));
	const phones = rang.flatMap(({ employee }) => employee ?? []);
	const [only] = phones;
	return phones.every(({ user }) => user === only?.user) ? only : undefined;
}

/** Of the leg that an answered one was last connected with, somebody has talked on it. */
function isKnown({ state }: Leg, first: Leg | undefined): boolean {
	return state !== 'unknown' || first?.state === 'answered';
}

function callerAmong(called: readonly Leg[]): Employee | undefined {
	return called.flatMap(({ from }) => colleagueAt(from) ?? [])[0];
}

/** Of legs that were answered the one with the longest talk; undefined where none was. */
export function longestTalk(legs: readonly Leg[]): Leg | undefined {
	const answered = legs.filter(({ state }) => state === 'answered');
	return answered.reduce<Leg | undefined>(
		(best, leg) => ((leg.talk ?? 0) > (best?.talk ?? -1) ? leg : best),
		undefined,
	);
}
