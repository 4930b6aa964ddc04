import { isSameNumber } from '../util/party';
import type { Account, CallEnd, Leg } from './leg';

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
export function callerBy(evidence: Evidence): Caller | undefined {
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

/** Returns whether a leg goes to a number outside, by the line that it takes or by the number. */
export function goesOut({ side, origin, to }: Leg): boolean {
	return to?.kind === 'outside' || (side === 'called' && origin === 'line' && to !== undefined);
}

/** Returns whether a leg rings an employee's phone. */
export function isPhone(leg: Leg): boolean {
	return leg.side !== 'caller' && leg.employee !== undefined && !goesOut(leg);
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
