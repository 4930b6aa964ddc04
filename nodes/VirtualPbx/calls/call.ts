import type { IDataObject } from 'n8n-workflow';

import { fillNulls } from '../util/json';
import type { End } from '../util/party';
import { LATEST_MS, toIso } from '../util/time';
import type { Employee, Leg } from './leg';
import type { Outcome } from './outcome';
import { causeCode, hangupWords, outcomeOfCall, outcomeOfLeg } from './outcome';
import type { CallType } from './parties';
import { callTypeOf, customerOf, employeeOf, longestTalk, partsOf } from './parties';

/** A call as people see it. Fields are undefined if its legs don't say. */
export interface Call {
	/** At least one, in the given order. */
	legs: readonly Leg[];
	/** The leg with the caller and the dialed number: the one that began the call, else the earliest. */
	lead: Leg;
	type: CallType | undefined;
	outcome: Outcome;
	customer: End | undefined;
	employee: Employee | undefined;
	/** The company's number that was dialed. */
	company: End | undefined;
	/** The party that answered. */
	answeredBy: End | undefined;
	/** The hang-up cause of the lead, or of a leg whose end is better known, in capitals. */
	cause: string | undefined;
	/** In seconds. */
	talk: number | undefined;
	/** Returns undefined if a single leg isn't enough to know. */
	isMissed: (countVoicemail: boolean) => boolean | undefined;
}

/** Assembles a call from its known legs, oldest first. `isWhole` means that there are no others. */
export function assembleCall(legs: readonly Leg[], isWhole: boolean): Call {
	const parts = partsOf(legs);
	const { first, called, phone } = parts;
	const lead = first ?? called[0] ?? { state: 'unsaid' };
	const type = callTypeOf(parts);
	const isSilent = phone !== undefined && called.every(({ state }) => state === 'unknown');
	const deciding = isSilent ? [phone] : called;
	const isOutgoing = type === 'outgoing';
	const outcome = outcomeOfCall({ first, called: deciding, isOutgoing, isWhole });
	const isVoicemail = outcome === 'voicemail';
	return {
		legs,
		lead,
		type,
		outcome,
		customer: customerOf(parts, type),
		employee: employeeOf(parts, type),
		company: type === 'incoming' ? first?.to : undefined,
		answeredBy: longestTalk(called)?.to,
		cause: causeCode(lead.cause ?? legs[0]?.cause),
		talk: isVoicemail ? 0 : talkOf(first, phone ? called : legs),
		isMissed: (countVoicemail) => {
			if (outcome === 'ringing') return undefined;
			if (outcome === 'answered' || outcome === 'elsewhere') return false;
			if (type !== 'incoming') return type === undefined ? undefined : false;
			const isKnown = isWhole || (first !== undefined && first.state !== 'unknown');
			return isKnown ? !isVoicemail || countVoicemail : undefined;
		},
	};
}

/**
 * Returns how long people talked, in seconds: the sum of the legs besides the first, capped at the first's; else the
 * first's own.
 */
function talkOf(first: Leg | undefined, legs: readonly Leg[]): number | undefined {
	const others = legs.filter((leg) => leg !== first && leg.talk !== undefined);
	if (others.length === 0) return first?.talk;
	const together = others.reduce((sum, { talk = 0 }) => sum + talk, 0);
	const whole = first?.talk ?? 0;
	return whole > 0 ? Math.min(whole, together) : together;
}

/** How to show a call. By default, with details, and voicemail counts as missed. */
export interface CallOutput {
	countVoicemail?: boolean;
	includeDetails?: boolean;
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
		numbers: [],
		nationalNumber: null,
		customerCountry: null,
		employeeName: employee?.name,
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
