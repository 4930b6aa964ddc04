import { areExtensions } from '../values/extension';
import { numberOf } from '../values/sipUri';
import { secondsField, textField } from './fields';
import { directionOf, isFirstLeg } from './legs';
import type { CallEvent } from './parse';

/** Causes of a leg that ended because the call was taken on another phone. */
const ELSEWHERE = new Set(['LOSE_RACE', 'PICKED_OFF', 'ANSWERED_ELSEWHERE']);

/** Dispositions of a leg that was picked up (§6: values seen). */
const PICKED_UP = new Set(['ANSWER', 'ANSWERED', 'SUCCESS']);

/**
 * Tells whether the leg of an event was answered (§3, §6). Of an ended leg `Billing-Seconds` decide: none mean no.
 * Where the event has none, a `Disposition` of a pick-up means yes, any other, or a cause that speaks of a failure, no.
 *
 * @returns undefined while the leg rings, and where an ended leg's event says too little
 */
export function wasAnswered(event: CallEvent): boolean | undefined {
	if (event.hook === 'channel_answer') return true;
	if (event.hook === 'channel_create') return undefined;

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
	return (
		isEndOfCall(event) &&
		wasAnswered(event) === true &&
		textField(event.fields, 'Other-Leg-Call-ID') === undefined
	);
}

/**
 * Tells a missed call (docs/events.md): the first leg of a call that came in has ended, surely without an answer,
 * and not because another phone took it. A call that a mailbox or an announcement took was answered.
 */
export function isMissed(event: CallEvent): boolean {
	return isEndOfCall(event) && wasAnswered(event) === false && !isAnsweredElsewhere(event);
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
	return firstNumber(fields, ['Caller-ID-Number', 'From-Uri', 'From']);
}

/**
 * The called number, without the rest of a SIP URI (§6): on the leg of the caller what was dialled, on the leg to
 * the called party that party.
 */
export function calledOf({ fields }: CallEvent): string | undefined {
	const dialled = ['To-Uri', 'To', 'Request'];
	const party = ['Callee-ID-Number'];
	const order =
		directionOf(fields) === 'outbound' ? [...party, ...dialled] : [...dialled, ...party];
	return firstNumber(fields, [...order, 'Other-Leg-Destination-Number']);
}

/** Tells whether both ends of a call are extensions. */
export function isInternal(event: CallEvent): boolean {
	return areExtensions(callerOf(event), calledOf(event));
}

function firstNumber(fields: CallEvent['fields'], names: string[]): string | undefined {
	for (const name of names) {
		const number = numberOf(textField(fields, name) ?? '');
		if (number !== '') return number;
	}
	return undefined;
}
