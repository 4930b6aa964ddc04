import type { IWebhookFunctions } from 'n8n-workflow';
import { hash } from 'node:crypto';

import type { EventCall, LegContext } from '../../calls/event';
import { calledEnds, callOfEvent, goesOutside, legStateOf } from '../../calls/event';
import { rejectionReason } from '../../calls/filter';
import type { Account, CallEnd } from '../../calls/leg';
import { ANY_ACCOUNT, callEnd } from '../../calls/leg';
import { causeCode } from '../../calls/outcome';
import type { CallEvent } from '../../pbx/events/callEvent';
import type { EventValue } from '../../pbx/events/table';
import { EVENTS } from '../../pbx/events/table';
import type { Direction } from '../../pbx/legOrigin';
import { BoundedMap } from '../../util/limits';
import { bareNumber } from '../../util/party';
import type { NodeRuntime } from '../runtime/nodeRuntime';
import { runtimeOf } from '../runtime/nodeRuntime';
import type { DedupeKeys } from './deduplication';
import { claim } from './deduplication';
import type { Selection, Settings } from './parameters';
import { isSampling } from './parameters';

/** An event that starts the workflow, and the value it starts with. */
export interface Chosen extends EventCall {
	value: EventValue;
}

/** Decides whether an event starts the workflow, or says why it doesn't. Remembers one that does, to drop its repeats. */
export async function chooseEvent(
	context: IWebhookFunctions,
	settings: Settings,
	event: CallEvent,
): Promise<{ chosen: Chosen } | { ignored: string }> {
	const { legs, account } = settings;
	if (event.isInternalLeg) return { ignored: 'internal leg' };
	const { countVoicemail } = settings.filters;
	const selection: Selection = isSampling(context)
		? { events: settings.events, legs, filters: { countVoicemail } }
		: settings;
	const { role, ...leg }: LegInCall =
		legs === 'oncePerCall'
			? legInCall(context, event, account)
			: { standsForCall: isFirstLeg(event, account) };
	const shown = { event, call: callOfEvent(event, leg, account), ...leg };
	const choice = selectEvent(shown, selection);
	if ('ignored' in choice) return choice;
	const chosen = { ...shown, value: choice.chosen };
	if (context.getMode() === 'manual') return { chosen };

	const url = context.getNodeWebhookUrl('default') ?? '';
	const keys = dedupeKeysOf(url, { ...chosen, role }, settings.dropRepeats);
	const isFresh = await claim(keys, context.getResponseObject());
	return isFresh ? { chosen } : { ignored: 'repeated delivery' };
}

/**
 * Returns an event's keys. Its own key is of leg, kind, and `Msg-ID`, or else of the content that identifies it. A first
 * leg also covers its other leg, and a leg of a call without a first leg all the legs it knows. A missed call starts the
 * workflow even if another of its legs did.
 */
export function dedupeKeysOf(
	url: string,
	{ event, role, value }: { event: CallEvent; role?: LegRole | undefined; value: EventValue },
	dropRepeats: boolean,
): DedupeKeys {
	const { hook, callId, otherLegId, bridgeId, durationSeconds = 0 } = event;
	const identity = identityOf(event);
	const at = event.at ?? Date.now();
	const about = { leg: callId, identity, at, began: at - durationSeconds * 1000 };
	const own = dropRepeats ? [hashOf([url, identity, callId, hook])] : [];
	if (role === undefined) return { ...about, lookUp: own, keep: own };

	const keyFor = (kind: 'call' | 'leg', id: string) => hashOf([kind, hook, id, url]);
	if (role === 'first') {
		const others = otherLegId === undefined ? [] : [otherLegId];
		const called = [keyFor('call', callId), ...others.map((id) => keyFor('leg', id))];
		return {
			...about,
			lookUp: [...own, ...(value === 'missed' ? [] : called)],
			keep: [...own, keyFor('leg', callId), ...others.map((id) => keyFor('call', id))],
		};
	}
	const ids = [callId, otherLegId, bridgeId].filter((id) => id !== undefined);
	const calls = [...own, ...ids.map((id) => keyFor('call', id))];
	return {
		...about,
		lookUp: [...calls, ...ids.map((id) => keyFor('leg', id))],
		keep: [...calls, keyFor('leg', callId)],
	};
}

function identityOf(event: CallEvent): string {
	const { messageId, direction, otherLegId, timestamp, hangupCause, parties } = event;
	if (messageId !== undefined) return hashOf([messageId]);
	const { ringingSeconds, billingSeconds, durationSeconds } = event;
	const seconds = [ringingSeconds, billingSeconds, durationSeconds];
	return hashOf([direction, otherLegId, timestamp, hangupCause, seconds, parties]);
}

function hashOf(values: readonly unknown[]): string {
	return hash('sha1', JSON.stringify(values), 'base64');
}

export type Choice = { chosen: EventValue } | { ignored: string };

/** Decides whether an event starts the workflow: a missed call as `missed` if selected, else as `ended`. */
export function selectEvent(
	{ event, call, standsForCall }: EventCall,
	{ events, legs, filters }: Selection,
): Choice {
	const isEnd = event.hook === 'channel_destroy';
	const isMissed = isEnd && standsForCall && call.isMissed(filters.countVoicemail) === true;
	const row = EVENTS.find(
		({ value, hook }) =>
			hook === event.hook &&
			events.includes(value) &&
			(value === 'missed') === (isMissed && events.includes('missed')),
	);
	if (!row)
		return {
			ignored: isEnd && events.includes('missed') ? 'not a missed call' : 'event not chosen',
		};
	if (legs === 'oncePerCall' && !standsForCall) return { ignored: 'leg not chosen' };
	const reason = rejectionReason(call, filters);
	return reason === undefined ? { chosen: row.value } : { ignored: `filtered by ${reason}` };
}

/** A leg's role in its call, as far as one event shows. */
export type LegRole =
	/** Stands for its call. */
	| 'first'
	/** Doesn't stand for its call: another leg surely does. */
	| 'other'
	/** Stands for a call that has no inbound leg, unless another leg of that call already has. */
	| 'standIn'
	/** Only its other leg's event can tell. If that is undecided, too, the second of both stands for the call. */
	| 'undecided';

/**
 * Decides from one event whether its leg stands for its call (§6): when a click-to-call ends, the leg to the outside
 * number, which knows both ends; else the leg whose `Call-ID` is the `Bridge-ID`; else the inbound one. In a call
 * without one, the leg that names no other; and when two legs of the same direction end, the one with the smaller
 * `Call-ID`.
 * A leg never knows everything its other leg says. So it is `other` only if the other leg stands for the call whatever
 * it says: of any two legs, at least one does, alone or as the second undecided one.
 */
export function legRoleOf(event: CallEvent, account: Account = ANY_ACCOUNT): LegRole {
	const { bridgeId, callId, otherLegId: other, direction, otherDirection } = event;
	const atEnd = roleByNumbers(event, account);
	// The flat form of a click-to-call names the other leg by its ID alone.
	const isPair = direction === 'outbound' && other !== undefined && otherDirection === undefined;
	if (atEnd || (bridgeId === callId && !isPair)) return atEnd ?? 'first';

	if (direction === 'outbound' && otherDirection === 'inbound') return 'other';
	const own = ownDirectionOf(event);
	if (bridgeId !== undefined && bridgeId !== other && own !== 'outbound') return roleOfThird(event);
	if (other !== undefined) return roleBeside(event, own, other);
	return own === 'outbound' ? 'standIn' : 'first';
}

/** Returns the role of a leg that isn't surely outbound and has the `Bridge-ID` of a leg that it doesn't name. */
function roleOfThird({ direction, otherLegId }: CallEvent): LegRole {
	if (direction === 'inbound') return otherLegId === undefined ? 'undecided' : 'other';
	return otherLegId === undefined ? 'standIn' : 'undecided';
}

/** Returns the role of a leg that names another one. */
function roleBeside(event: CallEvent, own: Direction | undefined, other: string): LegRole {
	const { bridgeId, otherDirection } = event;
	if (own !== undefined && own === otherDirection) return roleInPair(event, other);
	if (bridgeId !== undefined || own === 'outbound') return 'undecided';
	return own === undefined ? 'standIn' : 'first';
}

/**
 * Returns the role of one of two ended outbound legs, if one goes outside and one to a phone. Undefined if the numbers
 * don't show which, such as for two outside numbers. Each leg can also name the called number as its other leg's.
 */
function roleByNumbers(event: CallEvent, account: Account): LegRole | undefined {
	const { hook, direction, otherLegId, otherDirection } = event;
	if (hook !== 'channel_destroy' || direction !== 'outbound' || otherDirection !== 'outbound')
		return undefined;
	const other = callEnd(event.parties.otherCalled, account);
	const isOut = other?.kind === 'outside';
	const areTwo = isOut && !calledEnds(event, account).some((end) => areSameEnd(end, other));
	if (goesOutside(event, account)) return areTwo ? undefined : 'standIn';
	return isOut && otherLegId !== undefined ? 'undecided' : undefined;
}

function areSameEnd(one: CallEnd, other: CallEnd): boolean {
	return bareNumber(one.text) === bareNumber(other.text);
}

/** Returns the role of one of two legs of the same direction. */
function roleInPair({ hook, callId }: CallEvent, other: string): LegRole {
	return hook === 'channel_destroy' && callId < other ? 'standIn' : 'undecided';
}

/** Returns whether a leg stands for its call, as far as its event alone shows. */
export function isFirstLeg(event: CallEvent, account?: Account): boolean {
	const role = legRoleOf(event, account);
	return role === 'first' || role === 'standIn';
}

/** Defaults to the opposite of the other leg's direction. */
function ownDirectionOf({ direction, otherDirection: other }: CallEvent): Direction | undefined {
	const opposite = other === 'inbound' ? 'outbound' : 'inbound';
	return direction ?? (other && opposite);
}

/** A leg in its call, as far as this process knows. */
export interface LegInCall extends LegContext {
	/** Set if the call may start the workflow only once. */
	role?: LegRole | undefined;
}

/** Returns a leg's role, and whether it stands for its call, by everything this process knows. */
function legInCall(context: IWebhookFunctions, event: CallEvent, account: Account): LegInCall {
	const role = legRoleOf(event, account);
	const pair = role === 'undecided' ? pairOf(context, event) : undefined;
	const standsForCall = role === 'undecided' ? pair !== undefined : role !== 'other';
	const isStandIn = !standsForCall && account.hasOnlyPhoneLegs && mayStandForCall(event);
	return isStandIn ? { role: 'standIn', standsForCall: true } : { role, standsForCall, pair };
}

/**
 * Returns whether an outbound leg can stand for its call if the PBX reports no other legs. Its end is the call's end if
 * it was answered or the caller hung up. After any other end, the call might ring elsewhere.
 */
function mayStandForCall(event: CallEvent): boolean {
	const { hook, direction, otherDirection } = event;
	if (direction !== 'outbound' || otherDirection === 'outbound') return false;
	if (hook !== 'channel_destroy') return true;
	return legStateOf(event) === 'answered' || causeCode(event.hangupCause) === 'ORIGINATOR_CANCEL';
}

/**
 * For all triggers together: more than n8n handles in 10 seconds, within which two legs of a call end. Each takes a few
 * kB, but up to 1 MiB if deliveries aren't verified and a stranger sends them.
 */
const MAX_UNDECIDED_LEGS = 256;

/** Legs for which only the other one can show whether the call lacks a first leg, each with its trigger. */
const undecidedLegs = new BoundedMap<CallEvent, { trigger: NodeRuntime; event: CallEvent }>(
	MAX_UNDECIDED_LEGS,
);

/**
 * Finds the earlier event of an undecided leg's other leg, if that is undecided, too: then the second one stands for
 * the call. Only in this process: if another one received the first leg, the call starts
 * nothing.
 */
function pairOf(context: IWebhookFunctions, event: CallEvent): CallEvent | undefined {
	const trigger = runtimeOf(context);
	undecidedLegs.set(event, { trigger, event });
	return undecidedLegs
		.values()
		.find((other) => other.trigger === trigger && arePair(event, other.event))?.event;
}

/** Returns whether one of two legs names the other, and neither names a third. */
function arePair(one: CallEvent, two: CallEvent): boolean {
	const isNamed = one.otherLegId === two.callId;
	const isNaming = two.otherLegId === one.callId;
	return (
		one.hook === two.hook &&
		(isNamed || isNaming) &&
		(isNamed || one.otherLegId === undefined) &&
		(isNaming || two.otherLegId === undefined)
	);
}
