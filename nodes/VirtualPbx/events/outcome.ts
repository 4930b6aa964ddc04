import type { Party } from '../values/numbers';
import { areExtensions, readParty } from '../values/numbers';
import { directionOf, isFirstLeg, otherLegOf } from './parse';
import type { CallEvent } from './parse';
import type { PbxHook } from './table';
import type { Fields } from './payload';
import { secondsField, textField } from './payload';

/** Causes of a leg that ended because the call was taken on another phone. */
const ELSEWHERE = new Set(['LOSE_RACE', 'PICKED_OFF', 'ANSWERED_ELSEWHERE']);

/** Dispositions of a leg that was picked up (§6: values seen). */
const PICKED_UP = new Set(['ANSWER', 'ANSWERED', 'SUCCESS']);

/** Where the caller stands, the best place first. */
const CALLER = ['Caller-ID-Number', 'From-Uri', 'From'];
const DIALLED = ['To-Uri', 'To', 'Request'];
const CALLED = {
	fromCaller: [...DIALLED, 'Callee-ID-Number', 'Other-Leg-Destination-Number'],
	toParty: ['Callee-ID-Number', ...DIALLED, 'Other-Leg-Destination-Number'],
};

/** What a kind of event says of the leg's answer by itself. */
const SAYS_ANSWERED: Record<PbxHook, boolean | undefined | 'see fields'> = {
	channel_create: undefined,
	channel_answer: true,
	channel_destroy: 'see fields',
};

/**
 * Tells whether the leg of an event was answered (§3, §6). Of an ended leg `Billing-Seconds` decide: none mean no.
 * Where the event has none, a `Disposition` of a pick-up means yes, any other, or a cause that speaks of a failure, no.
 *
 * @returns undefined while the leg rings, and where an ended leg's event says too little
 */
export function wasAnswered(event: CallEvent): boolean | undefined {
	const said = SAYS_ANSWERED[event.hook];
	if (said !== 'see fields') return said;

	const billing = secondsField(event.fields, 'Billing-Seconds');
	if (billing !== undefined) return billing > 0;
	const isNormalEnd = [undefined, 'NORMAL_CLEARING'].includes(causeOf(event));
	if (!isNormalEnd) return false;
	const disposition = textField(event.fields, 'Disposition')?.toUpperCase();
	return disposition === undefined ? undefined : PICKED_UP.has(disposition);
}

/** Tells whether an ended leg was given up because another phone took the call. */
export function isAnsweredElsewhere(event: CallEvent): boolean {
	const cause = causeOf(event);
	return cause !== undefined && ELSEWHERE.has(cause);
}

/**
 * Tells a call that came in and was answered by the exchange itself, as far as §6 allows: the end of its answered
 * first leg names no other leg. A mailbox, a menu or an announcement took it.
 */
export function isAnsweredByExchange(event: CallEvent): boolean {
	return isEndOfCall(event) && wasAnswered(event) === true && otherLegOf(event) === undefined;
}

/**
 * Tells a call that came in and that nobody answered (docs/events.md): its first leg has ended, surely without an answer,
 * and not because another phone took it. A call that a mailbox or an announcement took was answered.
 */
export function isUnanswered(event: CallEvent): boolean {
	return isEndOfCall(event) && wasAnswered(event) === false && !isAnsweredElsewhere(event);
}

/**
 * Tells whether an outbound leg may stand for its call where calls have no inbound leg (docs/events.md). The end of a leg
 * is that of the call when it was talked on or the caller gave up; after any other one the call may ring elsewhere.
 */
export function mayStandForCall(event: CallEvent): boolean {
	const { hook, fields } = event;
	const isPair = directionOf(fields, 'Other-Leg-Direction') === 'outbound';
	if (directionOf(fields) !== 'outbound' || isPair) return false;
	if (hook !== 'channel_destroy') return true;
	return wasAnswered(event) === true || causeOf(event) === 'ORIGINATOR_CANCEL';
}

/** Tells a missed call: nobody answered it, and no colleague placed it. */
export function isMissed(event: CallEvent): boolean {
	return isUnanswered(event) && !isFromColleague(event);
}

/**
 * Tells whether the caller's leg shows that a colleague calls: the device or user that placed the call (§6
 * Authorizing-ID, Owner-ID), or an extension as the caller. What a carrier's line authorizes is no colleague.
 *
 * @param event of the caller's leg; the leg to a phone shows the colleague who is called
 */
export function isFromColleague(event: CallEvent): boolean {
	const line = variableOf(event, 'Authorizing-Type') ?? variableOf(event, 'Originator-Type');
	if (line?.toLowerCase() === 'resource') return false;
	const placedBy = variableOf(event, 'Authorizing-ID') ?? variableOf(event, 'Owner-ID');
	return placedBy !== undefined || areExtensions(callerOf(event));
}

/** A key of `Custom-Channel-Vars` (§6), which the flat form has among the fields. */
export function variableOf({ vars, fields }: CallEvent, name: string): string | undefined {
	return textField(vars, name) ?? textField(fields, name);
}

/** The end of the first leg of a call that came in to the exchange. */
function isEndOfCall(event: CallEvent): boolean {
	const isEnd = event.hook === 'channel_destroy';
	return isEnd && isFirstLeg(event) && directionOf(event.fields) !== 'outbound';
}

/** The hang-up cause (§6) in capitals; undefined where the event has none. */
export function causeOf({ fields }: CallEvent): string | undefined {
	return textField(fields, 'Hangup-Cause')
		?.toUpperCase()
		.replace(/[\s-]+/g, '_');
}

/** The caller's number, without the rest of a SIP URI (§6). */
export function callerOf({ fields }: CallEvent): string | undefined {
	return firstParty(fields, CALLER)?.number;
}

/** What {@link callerOf} was taken from, as it came. */
export function callerAsCame({ fields }: CallEvent): string | undefined {
	return firstPlace(fields, CALLER)?.text;
}

/** The caller's name: Caller-ID-Name (§6), or what stands beside the number. */
export function callerNameOf({ fields }: CallEvent): string | undefined {
	return textField(fields, 'Caller-ID-Name') ?? nameIn(fields, CALLER);
}

/**
 * The called number, without the rest of a SIP URI (§6): on the leg of the caller what was dialled, on the leg to
 * the called party that party.
 */
export function calledOf({ fields }: CallEvent): string | undefined {
	return firstParty(fields, calledPlaces(fields))?.number;
}

/** What {@link calledOf} was taken from, as it came. */
export function calledAsCame({ fields }: CallEvent): string | undefined {
	return firstPlace(fields, calledPlaces(fields))?.text;
}

/** The called party's name: Callee-ID-Name (§6), or what stands beside the number. */
export function calledNameOf({ fields }: CallEvent): string | undefined {
	return textField(fields, 'Callee-ID-Name') ?? nameIn(fields, calledPlaces(fields));
}

/**
 * The employee whose phone rings: the user that the exchange asks for on the leg to that phone (§6 Request).
 *
 * @returns undefined on the caller's leg, which names no employee
 */
export function employeeOf({ fields }: CallEvent): string | undefined {
	return directionOf(fields) === 'outbound' ? firstParty(fields, ['Request'])?.number : undefined;
}

/** Tells whether both ends of a call are extensions. */
export function isInternal(event: CallEvent): boolean {
	return areExtensions(callerOf(event), calledOf(event));
}

function calledPlaces(fields: Fields): string[] {
	return directionOf(fields) === 'outbound' ? CALLED.toParty : CALLED.fromCaller;
}

function firstParty(fields: Fields, places: readonly string[]): Party | undefined {
	return firstPlace(fields, places)?.party;
}

/** The first of some fields that names somebody: its text, and what it means. */
function firstPlace(
	fields: Fields,
	places: readonly string[],
): { text: string; party: Party } | undefined {
	for (const place of places) {
		const text = textField(fields, place) ?? '';
		const party = readParty(text);
		if (party.number !== '') return { text, party };
	}
	return undefined;
}

/** The name beside the first number, or beside the same number elsewhere. */
function nameIn(fields: Fields, places: readonly string[]): string | undefined {
	const number = firstParty(fields, places)?.number;
	return places
		.map((place) => readParty(textField(fields, place) ?? ''))
		.find((party) => party.number === number && party.name !== undefined)?.name;
}
