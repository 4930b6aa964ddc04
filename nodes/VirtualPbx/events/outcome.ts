import { causeCode, unansweredKind } from '../values/hangupCause';
import type { Party } from '../values/numbers';
import { areExtensions, readParty } from '../values/numbers';
import type { Outcome } from '../values/outcome';
import { isNormalEnd, outcomeOf } from '../values/outcome';
import { isFirstLeg } from './parse';
import type { CallEvent } from './parse';
import type { PbxHook } from './table';
import type { Fields } from './payload';
import { secondsField, textField } from './payload';

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
	if (!isNormalEnd(causeOf(event))) return false;
	const disposition = textField(event.fields, 'Disposition')?.toUpperCase();
	return disposition === undefined ? undefined : PICKED_UP.has(disposition);
}

/** Tells whether an ended leg was given up because another phone took the call. */
export function isAnsweredElsewhere(event: CallEvent): boolean {
	return unansweredKind(causeOf(event)) === 'elsewhere';
}

/** Says in one word how the leg of an event went, or that it still rings. */
export function outcomeOfEvent(event: CallEvent): Outcome {
	const isRinging = event.hook === 'channel_create';
	const state = wasAnswered(event) === false ? 'unanswered' : 'answered';
	return outcomeOf({
		state: isRinging ? 'ringing' : state,
		byColleague: isPlacedByColleague(event),
		byExchange: isAnsweredByExchange(event),
		cause: causeOf(event),
	});
}

/** The leg to a phone shows the colleague who is called, so that there only the caller's number tells. */
function isPlacedByColleague(event: CallEvent): boolean {
	const isToPhone = event.direction === 'outbound';
	return isToPhone ? colleagueBehind(event) !== undefined : isFromColleague(event);
}

/**
 * Tells a call that came in and was answered by the exchange itself, as far as §6 allows: the end of its answered
 * first leg names no other leg. A mailbox, a menu or an announcement took it.
 */
export function isAnsweredByExchange(event: CallEvent): boolean {
	return isEndOfCall(event) && wasAnswered(event) === true && event.otherLeg === undefined;
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
	const { hook, direction, otherDirection } = event;
	if (direction !== 'outbound' || otherDirection === 'outbound') return false;
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
	return isEnd && isFirstLeg(event) && event.direction !== 'outbound';
}

/** The hang-up cause (§6) in capitals; undefined where the event has none. */
export function causeOf({ fields }: CallEvent): string | undefined {
	return causeCode(textField(fields, 'Hangup-Cause'));
}

/** One end of a call: the party, and the text that names it. */
export interface Place {
	text: string;
	party: Party;
}

/** The caller, without the rest of a SIP URI (§6); undefined where the event names none. */
export function callerIn({ fields }: CallEvent): Place | undefined {
	return firstPlace(fields, CALLER);
}

/** The number of {@link callerIn}. */
export function callerOf(event: CallEvent): string | undefined {
	return callerIn(event)?.party.number;
}

/** The caller's name: Caller-ID-Name (§6), or what stands beside the number. */
export function callerNameOf({ fields }: CallEvent): string | undefined {
	return textField(fields, 'Caller-ID-Name') ?? nameIn(fields, CALLER);
}

/**
 * The called party, without the rest of a SIP URI (§6): on the leg of the caller what was dialled, on the leg to
 * the called party that party.
 */
export function calledIn(event: CallEvent): Place | undefined {
	return firstPlace(event.fields, calledPlaces(event));
}

/** The number of {@link calledIn}. */
export function calledOf(event: CallEvent): string | undefined {
	return calledIn(event)?.party.number;
}

/** The called party's name: Callee-ID-Name (§6), or what stands beside the number. */
export function calledNameOf(event: CallEvent): string | undefined {
	const { fields } = event;
	return textField(fields, 'Callee-ID-Name') ?? nameIn(fields, calledPlaces(event));
}

/**
 * The employee in the call. On the leg to a phone it is the user that the exchange asks for (§6 Request); where that is a
 * number outside, the colleague who calls it, or that number, to which a call from outside is forwarded. On the caller's leg it is the caller, if that is a colleague's extension.
 *
 * @returns undefined where the event names none: the caller's leg does not name whom it rings
 */
export function employeeOf(event: CallEvent): string | undefined {
	const caller = callerOf(event);
	if (event.direction !== 'outbound')
		return areExtensions(caller) && isFromColleague(event) ? caller : undefined;
	const rings = firstPlace(event.fields, ['Request'])?.party.number;
	const isOutside = /^\+?\d+$/.test(rings ?? '') && !areExtensions(rings);
	if (!isOutside) return rings;
	const isForwarded = otherCallerOf(event) !== undefined;
	return colleagueBehind(event) ?? (isForwarded ? rings : undefined);
}

/** The extension that calls on a leg which goes out: the leg of the caller may name it where a trunk's number stands here. */
function colleagueBehind(event: CallEvent): string | undefined {
	return [callerOf(event), otherCallerOf(event)].find((number) => areExtensions(number));
}

function otherCallerOf({ fields }: CallEvent): string | undefined {
	return firstPlace(fields, ['Other-Leg-Caller-ID-Number'])?.party.number;
}

/** Tells whether both ends of a call are extensions. */
export function isInternal(event: CallEvent): boolean {
	return areExtensions(callerOf(event), calledOf(event));
}

function calledPlaces({ direction }: CallEvent): string[] {
	return direction === 'outbound' ? CALLED.toParty : CALLED.fromCaller;
}

/** The first of some fields that names somebody. */
function firstPlace(fields: Fields, places: readonly string[]): Place | undefined {
	for (const place of places) {
		const text = textField(fields, place) ?? '';
		const party = readParty(text);
		if (party.number !== '') return { text, party };
	}
	return undefined;
}

/** The name beside the first number, or beside the same number elsewhere. */
function nameIn(fields: Fields, places: readonly string[]): string | undefined {
	const number = firstPlace(fields, places)?.party.number;
	return places
		.map((place) => readParty(textField(fields, place) ?? ''))
		.find((party) => party.number === number && party.name !== undefined)?.name;
}
