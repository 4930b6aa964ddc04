import type { IDataObject } from 'n8n-workflow';

import { fillNulls } from '../util/json';
import { LATEST_MS, toIso } from '../util/time';
import type { Account, CallEnd, Employee, Leg, Parts, ShownByCalls } from './leg';
import { goesOut, partsOf } from './leg';
import type { Outcome } from './outcome';
import { causeCode, hangupWords, outcomeOfCall, outcomeOfLeg } from './outcome';
import type { CallType, Talk } from './parties';
import { callTypeOf, customerOf, employeeOf, lastAnswered, talksOf } from './parties';

/** A call as people see it. Fields are undefined if its legs don't say. */
export interface Call {
	/** At least one, in the given order. */
	legs: readonly Leg[];
	/** The leg with the caller and the dialed number: the one that began the call, else the earliest. */
	lead: Leg;
	type: CallType | undefined;
	outcome: Outcome;
	/** The external party. Its number is undefined if it withholds it. */
	customer: CallEnd | undefined;
	/** Who talked with the customer last, or placed an internal call. */
	employee: Employee | undefined;
	/** All employees who talked, in the order in which they did. */
	talks: readonly Talk[];
	/** The company's number that was dialed. */
	company: CallEnd | undefined;
	/** The party that talked last. */
	answeredBy: CallEnd | undefined;
	/** The hang-up cause of the lead, or of a leg whose end is better known, in capitals. */
	cause: string | undefined;
	/** In seconds. */
	talk: number | undefined;
	/** Returns undefined if a single leg isn't enough to know. */
	isMissed: (countVoicemail: boolean) => boolean | undefined;
}

/** Assembles a call from its known legs, oldest first. `isWhole` means that there are no others. */
export function assembleCall(legs: readonly Leg[], isWhole: boolean, account: Account): Call {
	const parts = partsOf(legs, account);
	const { first, called } = parts;
	const lead = first ?? called[0] ?? { state: 'unsaid' };
	const type = callTypeOf(parts);
	const isForMachine = legs.some((leg) => leg.isForMachine);
	const outcome = outcomeBy(parts, { type, isWhole, isForMachine });
	const employee = employeeOf(parts, type);
	const known = talksOf(parts, type);
	const talk = talkIn(parts, { type, outcome, isTransferred: known.length > 1 });
	const isOnly = outcome === 'answered' && known.length === 0;
	return {
		legs,
		lead,
		type,
		outcome,
		customer: customerOf(parts, type),
		employee,
		talks: isOnly && employee ? [{ employee, seconds: talk }] : known,
		company: type === 'incoming' ? first?.to : undefined,
		answeredBy: lastAnswered(parts),
		cause: causeCode(lead.cause ?? legs[0]?.cause),
		talk,
		isMissed: isForMachine ? () => false : missedBy({ type, outcome, isWhole, first }),
	};
}

function missedBy({
	type,
	outcome,
	isWhole,
	first,
}: Pick<Call, 'type' | 'outcome'> & {
	isWhole: boolean;
	first: Leg | undefined;
}): Call['isMissed'] {
	return (countVoicemail) => {
		if (outcome === 'ringing') return undefined;
		if (outcome === 'answered' || outcome === 'elsewhere') return false;
		if (type !== 'incoming') return type === undefined ? undefined : false;
		const isKnown = isWhole || (first !== undefined && first.state !== 'unknown');
		return isKnown ? outcome !== 'voicemail' || countVoicemail : undefined;
	};
}

/** Returns a call's outcome. A fax or a conference isn't voicemail. */
function outcomeBy(
	{ first, called, joined, phone }: Parts,
	is: { type: CallType | undefined; isWhole: boolean; isForMachine: boolean },
): Outcome {
	const isSilent = phone !== undefined && called.every(({ state }) => state === 'unknown');
	const outcome = outcomeOfCall({
		first,
		called: isSilent ? [phone] : [...called, ...joined],
		isOutgoing: is.type === 'outgoing',
		isWhole: is.isWhole,
	});
	return is.isForMachine && outcome === 'voicemail' ? 'answered' : outcome;
}

/**
 * Returns how long people talked, in seconds: the sum of the answering legs, capped at the length of the one that began
 * the call; that length if the call was answered, but no leg that answered is known. After an employee's call was
 * transferred, the length of the customer's leg.
 */
function talkIn(
	{ first, called, joined }: Parts,
	is: { type: CallType | undefined; outcome: Outcome; isTransferred: boolean },
): number | undefined {
	if (is.outcome === 'voicemail') return 0;
	const isOwnLegShorter = is.type === 'outgoing' && is.isTransferred;
	const answering = isOwnLegShorter ? called.filter(goesOut) : [...called, ...joined];
	const others = answering.filter((leg) => leg.talk !== undefined);
	const together = others.reduce((sum, { talk = 0 }) => sum + talk, 0);
	if (others.length === 0 || (together === 0 && is.outcome === 'answered')) return first?.talk;
	const whole = isOwnLegShorter ? 0 : (first?.talk ?? 0);
	return whole > 0 ? Math.min(whole, together) : together;
}

/** How to show a call. By default, with details, and voicemail counts as missed. */
export interface CallOutput {
	countVoicemail?: boolean;
	includeDetails?: boolean;
	/** Facts from the account's other calls. By default, nothing. */
	shown?: ShownByCalls | undefined;
}

/** Returns the fields that every call item has; unknown ones are null. `countVoicemail` as in the filters. */
export function callFields(call: Call, countVoicemail: boolean): IDataObject {
	return {
		callType: call.type ?? null,
		outcome: call.outcome,
		missed: call.isMissed(countVoicemail) ?? null,
		customerNumber: call.customer?.number ?? null,
		employee: call.employee?.user ?? null,
		companyNumber: call.company?.number ?? null,
	};
}

/**
 * Returns the details that every call item has, with the ends of one of its legs. `formatNumbers` fills in those of the
 * customer's number.
 */
export function callDetails(call: Call, { from, to }: Leg): IDataObject {
	const { customer, employee, cause } = call;
	return {
		summary: summaryOf(call),
		from: from?.number,
		fromName: from?.name,
		fromUri: from?.text,
		to: to?.number,
		toName: to?.name,
		toUri: to?.text,
		customerName: customer?.name,
		customerHidden: customer?.kind === 'withheld',
		numbers: [],
		nationalNumber: null,
		customerCountry: null,
		employeeName: employee?.name,
		employees: call.talks.map(({ employee: { user }, seconds }) => ({
			employee: user,
			talkSeconds: seconds ?? null,
		})),
		hangupCause: cause,
		hangupReason: cause === undefined ? undefined : hangupWords(cause),
	};
}

/** Returns a leg as shown in its call's details, which contain the original with Simplify off. */
export function legDetails(leg: Leg): IDataObject {
	return fillNulls({
		outcome: outcomeOfLeg(leg),
		from: leg.from?.number,
		to: leg.to?.number,
		at: isoOf(leg.at),
		talkSeconds: leg.talk,
		hangupCause: causeCode(leg.cause),
	});
}

/** Returns a time in ISO 8601, in UTC; undefined if it is missing or out of range. */
export function isoOf(unixMs: number | undefined): string | undefined {
	return unixMs === undefined || Math.abs(unixMs) > LATEST_MS ? undefined : toIso(unixMs);
}

/** How an unanswered call went. An answered one shows how long it lasted instead. */
const WORDS: Record<Exclude<Outcome, 'answered'>, string> = {
	busy: 'busy',
	declined: 'declined',
	elsewhere: 'answered on another phone',
	failed: "couldn't be connected",
	noAnswer: 'not answered',
	ringing: 'ringing',
	voicemail: 'reached only voicemail',
};

/**
 * Returns a call in plain words, such as `Incoming call answered by employee 101, lasted 1 min 12 s`. Contains nothing
 * that callers can choose, and no character that is markup anywhere.
 */
export function summaryOf({ type, outcome, employee, talk }: Call): string {
	const user = employee?.user.replace(/[^\p{L}\p{N} +.-]/gu, '').trim();
	const by = type === 'incoming' && outcome !== 'answered' ? 'for' : 'by';
	const who = user ? ` ${by} employee ${user}` : '';
	const kind = type ? `${type.charAt(0).toUpperCase()}${type.slice(1)} call` : 'Call';
	if (outcome !== 'answered') return `${kind}${who}, ${WORDS[outcome]}`;
	const answered = type === 'incoming' || !type ? ' answered' : '';
	const lasted = talk === undefined ? '' : `, lasted ${durationOf(talk)}`;
	return `${kind}${answered}${who}${lasted}`;
}

/** `3725` → `1 h 2 min 5 s`. */
function durationOf(seconds: number): string {
	const whole = Math.round(seconds);
	const parts = [
		[Math.floor(whole / 3600), 'h'],
		[Math.floor(whole / 60) % 60, 'min'],
		[whole % 60, 's'],
	] as const;
	const shown = parts.filter(([count]) => count > 0);
	return (shown.length > 0 ? shown : parts.slice(-1)).map((part) => part.join(' ')).join(' ');
}
