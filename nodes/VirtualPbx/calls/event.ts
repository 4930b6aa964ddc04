import type { IDataObject } from 'n8n-workflow';

import type { CallEvent } from '../pbx/events/callEvent';
import type { EventValue } from '../pbx/events/table';
import { stateOfHook } from '../pbx/events/table';
import { fillNulls } from '../util/json';
import type { Call, CallOutput } from './call';
import { assembleCall, callDetails, callFields, isoOf } from './call';
import type { Account, CallEnd, Leg, LegState } from './leg';
import { ANY_ACCOUNT, callEnd, SIDES, employeeAt } from './leg';
import { causeCode, isNormalEnd } from './outcome';
import { isReached } from './parties';

/** Dispositions of an answered leg (§6: values seen). */
const PICKED_UP = new Set(['ANSWER', 'ANSWERED', 'SUCCESS']);

export interface LegContext {
	standsForCall: boolean;
	/** The event of the other leg of a click-to-call. */
	pair?: CallEvent | undefined;
}

export interface EventCall extends LegContext {
	event: CallEvent;
	call: Call;
}

/** Assembles the call of an event (§6) from its own leg and what it shows of the connected one. */
export function callOfEvent(
	event: CallEvent,
	{ standsForCall, pair }: LegContext,
	account: Account = ANY_ACCOUNT,
): Call {
	const other = pair ? legOf(pair, account) : otherLegOf(event, account);
	const isWhole = standsForCall && event.hook === 'channel_destroy';
	const call = assembleCall([legOf(event, account), ...(other ? [other] : [])], isWhole, account);
	if (standsForCall) return call;
	// Another leg might have been answered, so only `false` is certain.
	return { ...call, isMissed: (count) => call.isMissed(count) && undefined };
}

function legOf(event: CallEvent, account: Account): Leg {
	const { direction, origin, parties } = event;
	const from = callEnd(parties.caller, account);
	const to = callEnd(parties.called, account);
	const users = (ends: typeof parties.callerUsers) => ends.map((end) => callEnd(end, account));
	const request = callEnd(parties.request, account);
	const isOut =
		direction === 'outbound' && to?.kind === 'outside' && (request ?? to).kind === 'outside';
	// A line's own user is no employee, nor is the user of a caller whose device the platform doesn't name.
	const callerUsers = origin === 'employee' ? users(parties.callerUsers) : [];
	const ofOwnEnd =
		direction === 'outbound'
			? employeeAt(to, ...users(parties.calledUsers))
			: employeeAt(from, ...callerUsers);
	return {
		id: event.callId,
		otherId: event.otherLegId,
		callId: event.bridgeId,
		side: direction && SIDES[direction],
		from,
		to,
		employee: isOut ? undefined : ofOwnEnd,
		origin,
		isInternal: event.isInternalLeg,
		isForMachine: event.isForMachine,
		state: legStateOf(event),
		isOver: event.hook === 'channel_destroy',
		talk: event.billingSeconds,
		cause: causeCode(event.hangupCause),
		at: event.at,
	};
}

/** Returns what an event shows of the connected leg; undefined if nothing. */
function otherLegOf(event: CallEvent, account: Account): Leg | undefined {
	const { callId, otherLegId, direction, otherDirection } = event;
	const opposite = direction === 'outbound' ? 'inbound' : 'outbound';
	const shared: Leg = { id: otherLegId, otherId: callId, state: 'unknown' };
	if ((otherDirection ?? opposite) === 'inbound') return callerLegOf(event, shared, account);
	const to = callEnd(event.parties.otherCalled, account);
	const callee = calleeOf(event, account);
	const isReachedEnd = callee?.kind === 'outside';
	const isAnswer = event.hook === 'channel_answer' && callee !== undefined;
	if (otherLegId === undefined && to === undefined && !isAnswer && !isReachedEnd) return undefined;
	const employee = employeeAt(callee, to);
	return Object.assign(shared, { side: 'called', to: to ?? callee, employee } as const);
}

/**
 * Returns the party that the caller's leg is connected with, if different from the dialed number (§6 Callee-ID-Number):
 * an employee, or the number that was reached by a prefix or a code.
 */
function calleeOf({ direction, parties }: CallEvent, account: Account): CallEnd | undefined {
	const [callee, dialed] = [callEnd(parties.callee, account), callEnd(parties.dialed, account)];
	if (direction === 'outbound' || callee?.number === dialed?.number) return undefined;
	if (employeeAt(callee)) return callee;
	const reached: Leg = { side: 'called', to: callee, state: 'unknown' };
	return dialed?.kind === 'code' || isReached(dialed, reached) ? callee : undefined;
}

/** Returns the caller's leg as a leg to a phone or number shows it. */
function callerLegOf({ parties }: CallEvent, leg: Leg, account: Account): Leg | undefined {
	const otherCalled = callEnd(parties.otherCalled, account);
	const inception = callEnd(parties.inception, account);
	const other = callEnd(parties.otherCaller, account);
	const from = other ?? callEnd(parties.caller, account);
	// Kazoo's own sample shows an `Inception` on an employee's call, too.
	const isOutside = from?.user === undefined || from.realm === 'foreign';
	const isDialed = isOutside && inception?.kind === 'outside';
	const to = otherCalled ?? (isDialed ? inception : undefined);
	if (other === undefined && to === undefined) return undefined;
	return Object.assign(leg, { side: 'caller', from, to, employee: employeeAt(from) } as const);
}

/** The state that a kind of event implies by itself. */
const STATES: Record<CallEvent['hook'], LegState | undefined> = {
	channel_create: 'ringing',
	channel_answer: 'answered',
	channel_destroy: undefined,
};

/**
 * Returns the state of an event's leg (§3, §6). For an ended leg, `Billing-Seconds` decide: zero means unanswered.
 * Without them, a `Disposition` of an answered leg means answered; any other, or the cause of a failure, unanswered.
 */
export function legStateOf(event: CallEvent): LegState {
	const { hook, billingSeconds, hangupCause, disposition } = event;
	const known = STATES[hook];
	if (known) return known;
	if (billingSeconds !== undefined) return billingSeconds > 0 ? 'answered' : 'unanswered';
	if (!isNormalEnd(hangupCause)) return 'unanswered';
	if (disposition === undefined) return 'unsaid';
	return PICKED_UP.has(disposition.toUpperCase()) ? 'answered' : 'unanswered';
}

export function goesOutside(event: CallEvent, account: Account = ANY_ACCOUNT): boolean {
	const ends = calledEnds(event, account);
	return ends.length > 0 && ends.every(({ kind }) => kind === 'outside');
}

/** Returns the ends that the PBX calls with a leg. */
export function calledEnds({ parties }: CallEvent, account: Account = ANY_ACCOUNT): CallEnd[] {
	return [parties.callee, parties.request].flatMap((end) => callEnd(end, account) ?? []);
}

/**
 * Returns the ID of the call (§6): the `Bridge-ID`, or else the call ID of the first leg, which is the same and which
 * an outbound leg names as its other leg. A click-to-call has the ID of the phone's leg, which begins it. Undefined if
 * the event doesn't say.
 */
function callIdOf(event: CallEvent, { standsForCall, pair }: LegContext): string | undefined {
	const { bridgeId, callId, otherLegId: other, direction, otherDirection } = event;
	if (bridgeId !== undefined) return bridgeId;
	const isPair = pair !== undefined || otherDirection === 'outbound';
	const namesFirst = direction === 'outbound' && (!isPair || goesOutside(event));
	return (namesFirst ? other : undefined) ?? (standsForCall || isPair ? callId : undefined);
}

export interface EventOptions extends CallOutput {
	/** The keys of the user's own custom data, for platforms that mix it into the event (§2.5). */
	customKeys?: readonly string[];
}

/**
 * Converts an event to its call as people see it: ten main fields, and the rest in `details`. Every field is always
 * present, `null` if the event doesn't say. Numbers are plain (no SIP URI), times ISO 8601 in UTC, durations in
 * seconds.
 */
export function simplifyEvent(
	shown: EventCall,
	value: EventValue,
	{ customKeys = [], countVoicemail = true, includeDetails = true }: EventOptions = {},
): IDataObject {
	const { event, call } = shown;
	const item: IDataObject = Object.assign({ event: value }, callFields(call, countVoicemail), {
		at: isoOf(event.at) ?? null,
		talkSeconds: call.talk ?? null,
		callId: callIdOf(event, shown) ?? null,
	});
	if (includeDetails) item.details = detailsOf(shown, customKeys);
	return item;
}

function detailsOf({ event, call, standsForCall }: EventCall, customKeys: readonly string[]) {
	const { at, durationSeconds } = event;
	const lasted = event.hook === 'channel_create' ? 0 : durationSeconds;
	return fillNulls({
		legId: event.callId,
		leg: standsForCall ? 'first' : 'other',
		otherLegId: event.otherLegId,
		...callDetails(call, call.legs[0] ?? call.lead),
		state: event.state ?? stateOfHook(event.hook),
		startedAt: at === undefined || lasted === undefined ? null : isoOf(at - lasted * 1000),
		endedAt: event.hook === 'channel_destroy' ? isoOf(at) : null,
		timestamp: asNumber(event.timestamp),
		ringingSeconds: event.ringingSeconds,
		billingSeconds: event.billingSeconds,
		durationSeconds,
		hangupCode: sipCode(event.hangupCode),
		accountId: event.accountId,
		ownerId: event.ownerId,
		deviceId: event.deviceId,
		messageId: event.messageId,
		customData: event.customData(customKeys),
	});
}

/** Returns the same number for JSON and form deliveries. */
function asNumber(text: string | undefined): number | string | null {
	const number = Number(text ?? Number.NaN);
	return Number.isSafeInteger(number) ? number : (text ?? null);
}

/** `sip:486` → 486. */
function sipCode(code: string | undefined): number | null {
	const digits = /^(?:sip:)?\s*(\d{3})$/i.exec(code ?? '')?.[1];
	return digits === undefined ? null : Number(digits);
}
