import type { CallEvent } from '../pbx/events/parse';
import type { Fields } from '../pbx/events/payload';
import { plainName, secondsField, textField } from '../pbx/events/payload';
import { visibleName } from '../util/numbers';
import { numberToUnixMs } from '../util/time';
import type { Call } from './call';
import { assembleCall } from './call';
import { causeCode } from './hangupCause';
import type { End, Leg, LegState } from './leg';
import { colleagueAt, isOutside, readEnd } from './leg';
import { isNormalEnd } from './outcome';

/** Dispositions of a leg that was picked up (§6: values seen). */
const PICKED_UP = new Set(['ANSWER', 'ANSWERED', 'SUCCESS']);

/** Where the ends of a leg stand, the best place first. */
const CALLER = ['Caller-ID-Number', 'From-Uri', 'From'];
const DIALED = ['To-Uri', 'To', 'Request'];
const CALLED = ['Callee-ID-Number', ...DIALED, 'Other-Leg-Destination-Number'];

/** What else is known of an event's leg. */
export interface LegContext {
	/** It stands for its call. */
	isFirst: boolean;
	/** The event of the other leg of a click-to-call. */
	pair?: CallEvent | undefined;
}

/** The call of an event, as far as it tells (§6): its own leg, and what it says of the leg that this one talks with. */
export function callOfEvent(event: CallEvent, { isFirst, pair }: LegContext): Call {
	const other = pair ? legOf(pair) : otherLegOf(event);
	const isWhole = isFirst && event.hook === 'channel_destroy';
	const call = assembleCall([legOf(event), ...(other ? [other] : [])], isWhole);
	if (isFirst) return call;
	// Another leg of the call may have been answered.
	return { ...call, isMissed: (count) => call.isMissed(count) && undefined };
}

/** The leg of an event. */
function legOf(event: CallEvent): Leg {
	const { fields, callId, otherLeg, bridgeId, direction, hook } = event;
	const side = direction && SIDES[direction];
	const from = endIn(fields, CALLER, 'Caller-ID-Name');
	const to = endIn(fields, side === 'called' ? CALLED : [...DIALED, ...CALLED], 'Callee-ID-Name');
	return {
		id: callId,
		otherId: otherLeg,
		callId: bridgeId,
		side,
		from,
		to,
		...colleagueOf(event, side === 'called' ? to : from),
		state: stateOf(event),
		isOver: hook === 'channel_destroy',
		talk: secondsField(fields, 'Billing-Seconds'),
		cause: causeCode(textField(fields, 'Hangup-Cause')),
		at: timeOf(event),
	};
}

const SIDES = { inbound: 'caller', outbound: 'called' } as const;

/** Who is at the leg's own end, and who placed it; the device of a ringing phone has placed nothing. */
function colleagueOf(event: CallEvent, own: End | undefined): Pick<Leg, 'employee' | 'placedBy'> {
	const { fields, direction } = event;
	const numbersIn = (...names: string[]) =>
		names.map((name) => readEnd(textField(fields, name))?.number);
	if (direction === 'outbound') {
		const request = readEnd(textField(fields, 'Request')) ?? own;
		if (isOutside(own) && isOutside(request)) return {};
		return { employee: colleagueAt(own, ...numbersIn('Request', 'To-Uri', 'To')) };
	}
	const line = variableOf(event, 'Authorizing-Type', 'Originator-Type');
	if (line?.toLowerCase() === 'resource') return { placedBy: 'line' };
	if (variableOf(event, 'Authorizing-ID', 'Owner-ID') === undefined)
		return { employee: colleagueAt(own) };
	const users = [...numbersIn('From-Uri', 'From'), variableOf(event, 'Username')];
	return { employee: colleagueAt(own, ...users), placedBy: 'colleague' };
}

/** What the event says of the leg that its own is connected with; undefined where it says nothing of it. */
function otherLegOf(event: CallEvent): Leg | undefined {
	const { fields, callId, otherLeg, direction, otherDirection } = event;
	const opposite = direction === 'outbound' ? 'inbound' : 'outbound';
	const shared = { id: otherLeg, otherId: callId, state: 'unknown' } as const;
	const to = endIn(fields, ['Other-Leg-Destination-Number']);
	if ((otherDirection ?? opposite) === 'inbound') return callerLegOf(event, { ...shared, to });
	const callee = calleeOf(event);
	const isAnswer = event.hook === 'channel_answer' && callee !== undefined;
	if (otherLeg === undefined && to === undefined && !isAnswer) return undefined;
	const employee = colleagueAt(callee, to?.number);
	return { ...shared, side: 'called', to: to ?? callee, employee };
}

/** Whom the caller's leg is connected with, where that is not what was dialed (§6 Callee-ID-Number). */
function calleeOf({ fields, direction }: CallEvent): End | undefined {
	const callee = endIn(fields, ['Callee-ID-Number'], 'Callee-ID-Name');
	const dialed = endIn(fields, DIALED)?.number;
	const isOther = direction !== 'outbound' && callee?.number !== dialed;
	return isOther && colleagueAt(callee) ? callee : undefined;
}

/** The leg of the caller, as a leg to a phone or number tells it. */
function callerLegOf(event: CallEvent, leg: Leg): Leg | undefined {
	const { fields } = event;
	const inception = readEnd(variableOf(event, 'Inception'));
	const to = leg.to ?? (isOutside(inception) ? inception : undefined);
	const named = endIn(fields, ['Other-Leg-Caller-ID-Number'], 'Other-Leg-Caller-ID-Name');
	if (named === undefined && to === undefined) return undefined;
	const from = named ?? endIn(fields, CALLER, 'Caller-ID-Name');
	return { ...leg, side: 'caller', from, to, employee: colleagueAt(from) };
}

/** What a kind of event says of the leg's answer by itself. */
const STATES: Record<CallEvent['hook'], LegState | undefined> = {
	channel_create: 'ringing',
	channel_answer: 'answered',
	channel_destroy: undefined,
};

/**
 * Tells how the leg of an event is (§3, §6). Of an ended leg `Billing-Seconds` decide: none mean unanswered. Where the
 * event has none, a `Disposition` of a pick-up means answered, any other, or a cause that speaks of a failure, not.
 */
function stateOf({ hook, fields }: CallEvent): LegState {
	const said = STATES[hook];
	if (said) return said;
	const billing = secondsField(fields, 'Billing-Seconds');
	if (billing !== undefined) return billing > 0 ? 'answered' : 'unanswered';
	if (!isNormalEnd(textField(fields, 'Hangup-Cause'))) return 'unanswered';
	const disposition = textField(fields, 'Disposition')?.toUpperCase();
	if (disposition === undefined) return 'unsaid';
	return PICKED_UP.has(disposition) ? 'answered' : 'unanswered';
}

/** When an event happened, in Unix milliseconds. */
export function timeOf({ fields }: Pick<CallEvent, 'fields'>): number | undefined {
	return numberToUnixMs(fields.get(plainName('Timestamp')));
}

/** The first of some keys of `Custom-Channel-Vars` (§6), which the flat form has among the fields. */
export function variableOf(
	{ vars, fields }: Pick<CallEvent, 'vars' | 'fields'>,
	...names: string[]
): string | undefined {
	return names.flatMap((name) => textField(vars, name) ?? textField(fields, name) ?? [])[0];
}

/** The first of some fields that names somebody, with the name from a field of its own, or beside the same number. */
function endIn(fields: Fields, places: readonly string[], nameField = ''): End | undefined {
	const ends = places.flatMap((place) => readEnd(textField(fields, place)) ?? []);
	const [end] = ends;
	if (!end) return undefined;
	const beside = ends.find(({ number, name }) => number === end.number && name !== undefined);
	return { ...end, name: visibleName(textField(fields, nameField)) ?? beside?.name };
}
