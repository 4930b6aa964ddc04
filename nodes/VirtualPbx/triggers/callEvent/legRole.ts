import type { IWebhookFunctions } from 'n8n-workflow';

import type { LegContext } from '../../calls/eventLeg';
import { callOfEvent } from '../../calls/eventLeg';
import { legProfileOf } from '../../calls/legProfile';
import type { LegRole } from '../../calls/legRole';
import { legRoleOf } from '../../calls/legRole';
import { readAccountId } from '../../parameters/options';
import { triggerScope } from '../../parameters/parameter';
import { readCdrs } from '../../pbx/cdrs/readCdrs';
import { openPbx } from '../../pbx/client';
import type { CallEvent } from '../../pbx/events/parse';
import { unixToGregorian } from '../../util/time';
import type { EventTriggerState } from './triggerState';
import { stateOf } from './triggerState';

/** What is known of a leg in its call. */
export interface LegInCall extends LegContext {
	/** Set where the call may start the workflow only once. */
	role?: LegRole | undefined;
}

/** What a leg is in its call, and whether it stands for it, by all that this process knows. */
export function legInCall(context: IWebhookFunctions, url: string, event: CallEvent): LegInCall {
	const role = legRoleOf(event);
	const pair = role === 'open' ? pairOf(context, url, event) : undefined;
	const isFirst = role === 'open' ? pair !== undefined : role !== 'other';
	if (isFirst || !mayStandForCall(event)) return { role, isFirst, pair };
	return lackFirstLegs(context)
		? { role: 'withoutFirst', isFirst: true }
		: { role, isFirst: false };
}

/**
 * Tells whether an outbound leg may stand for its call where calls have no inbound leg (docs/internals/calls.md). Its end is
 * that of the call when it was talked on or the caller gave up; after any other one the call may ring elsewhere.
 */
function mayStandForCall(event: CallEvent): boolean {
	const { hook, direction, otherDirection } = event;
	if (direction !== 'outbound' || otherDirection === 'outbound') return false;
	if (hook !== 'channel_destroy') return true;
	const [leg] = callOfEvent(event, { isFirst: false }).legs;
	return leg?.state === 'answered' || leg?.cause === 'ORIGINATOR_CANCEL';
}

/**
 * Finds the event of the other leg of an `open` one, which came before and is open, too: then neither stands for the call by
 * itself, and the second one does. Only in this process: if the first one came to another, the call starts nothing.
 */
function pairOf(context: IWebhookFunctions, url: string, event: CallEvent): CallEvent | undefined {
	const { openLegs } = stateOf(context);
	openLegs.set([url, event.hook, event.callId].join(' '), event);
	return openLegs.values().find((other) => arePair(event, other));
}

/** Whether one of two legs names the other, and neither names a third one. */
function arePair(one: CallEvent, two: CallEvent): boolean {
	const isNamed = one.otherLeg === two.callId;
	const isNaming = two.otherLeg === one.callId;
	return (
		one.hook === two.hook &&
		(isNamed || isNaming) &&
		(isNamed || one.otherLeg === undefined) &&
		(isNaming || two.otherLeg === undefined)
	);
}

/** An inbound leg that came here is proof. */
const SEEN_MS = 7 * 86_400_000;
const READ_MS = 3_600_000;
const PAUSE_MS = 30_000;
const BUDGET_MS = 20_000;
/** How far back records are read until they tell enough, in hours, and how many at most. */
const HOURS = [1, 24, 168];
const MAX_RECORDS = 500;
/** The PBX's clock may be ahead. */
const AHEAD_SECONDS = 3600;

/** Notes that inbound legs come to a trigger. */
export function noteInbound(context: IWebhookFunctions, events: readonly CallEvent[]): void {
	if (!events.some(({ direction }) => direction === 'inbound')) return;
	Object.assign(stateOf(context), { hasFirstLegs: true, until: Date.now() + SEEN_MS });
}

/** Tells whether calls have no first leg that the PBX reports; where unknown, learns it from the records, in the background. */
function lackFirstLegs(context: IWebhookFunctions): boolean {
	const now = Date.now();
	const state = stateOf(context);
	if (now > state.until && now - state.askedAt >= PAUSE_MS) {
		state.askedAt = now;
		void learn(context, state);
	}
	return state.hasFirstLegs === false;
}

/** Reads the newest records of the trigger's account, of an ever longer time, until they tell enough. */
async function learn(context: IWebhookFunctions, state: EventTriggerState): Promise<void> {
	try {
		const accountId = readAccountId(triggerScope(context));
		const pbx = await openPbx(context, {
			accountId,
			deadline: AbortSignal.timeout(BUDGET_MS),
		});
		const to = Math.ceil(unixToGregorian(Date.now() / 1000)) + AHEAD_SECONDS;
		for (const hours of HOURS) {
			const from = to - AHEAD_SECONDS - hours * 3600;
			const records = await readCdrs(pbx, { from, to, accountId }, MAX_RECORDS);
			const { hasFirstLegs } = legProfileOf(records, Date.now());
			if (hasFirstLegs === undefined) continue;
			// An inbound leg that came meanwhile tells more than records.
			if (state.until <= Date.now())
				Object.assign(state, { hasFirstLegs, until: Date.now() + READ_MS });
			return;
		}
	} catch {
		// Whoever may not read records is none the worse for it: the next event asks again.
	}
}
