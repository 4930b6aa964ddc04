import { createHash } from 'node:crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

import type { LegContext } from '../../events/leg';
import { callOfEvent } from '../../events/leg';
import type { CallEvent } from '../../events/parse';
import { textField } from '../../events/payload';
import type { Standing } from '../../events/legStanding';
import { standingOf } from '../../events/legStanding';
import type { EventValue } from '../../events/table';
import { legProfileOf } from '../../records/legProfile';
import { readCdrs } from '../../records/readCdrs';
import { openPbx } from '../../transport/pbx';
import { LruMap } from '../../values/lruMap';
import { unixToGregorian } from '../../values/time';
import { accountIn, optionsOf } from '../settings';
import type { TriggerMemory } from './memory';
import { memoryOf } from './memory';

/** What a leg is in its call. */
export interface Place extends LegContext {
	/** Set where the call may start the workflow only once. */
	standing?: Standing | undefined;
}

/** What a leg is in its call, and whether it stands for it, by all that this process knows. */
export function placeInCall(context: IWebhookFunctions, url: string, event: CallEvent): Place {
	const standing = standingOf(event);
	const pair = standing === 'open' ? pairOf(context, url, event) : undefined;
	const isFirst = standing === 'open' ? pair !== undefined : standing !== 'other';
	if (isFirst || !mayStandForCall(event)) return { standing, isFirst, pair };
	return lackFirstLegs(context)
		? { standing: 'alone', isFirst: true }
		: { standing, isFirst: false };
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
 * Finds the event of the other leg of an `open` one, if that leg names this one, too: both are a click-to-call then, and the
 * second one to come stands for it. Only in this process: where the first one came to another, the call is not told.
 */
function pairOf(context: IWebhookFunctions, url: string, event: CallEvent): CallEvent | undefined {
	const { openLegs } = memoryOf(context);
	const keyOf = (callId = '') => [url, event.hook, callId].join(' ');
	openLegs.set(keyOf(event.callId), event);
	const other = openLegs.get(keyOf(event.otherLeg));
	return other?.otherLeg === event.callId ? other : undefined;
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
	Object.assign(memoryOf(context), { hasFirstLegs: true, until: Date.now() + SEEN_MS });
}

/** Tells whether calls have no first leg that the PBX reports; where unknown, learns it from the records, in the background. */
function lackFirstLegs(context: IWebhookFunctions): boolean {
	const now = Date.now();
	const memory = memoryOf(context);
	if (now > memory.until && now - memory.askedAt >= PAUSE_MS) {
		memory.askedAt = now;
		void learn(context, memory);
	}
	return memory.hasFirstLegs === false;
}

/** Reads the newest records of the trigger's account, of an ever longer time, until they tell enough. */
async function learn(context: IWebhookFunctions, memory: TriggerMemory): Promise<void> {
	try {
		const accountId = accountIn(optionsOf(context));
		const pbx = await openPbx(context, { accountId, deadline: AbortSignal.timeout(BUDGET_MS) });
		const to = Math.ceil(unixToGregorian(Date.now() / 1000)) + AHEAD_SECONDS;
		for (const hours of HOURS) {
			const from = to - AHEAD_SECONDS - hours * 3600;
			const records = await readCdrs(pbx, { from, to, accountId }, MAX_RECORDS);
			const { hasFirstLegs } = legProfileOf(records, Date.now());
			if (hasFirstLegs === undefined) continue;
			// An inbound leg that came meanwhile tells more than records.
			if (memory.until <= Date.now())
				Object.assign(memory, { hasFirstLegs, until: Date.now() + READ_MS });
			return;
		}
	} catch {
		// Whoever may not read records is none the worse for it: the next event asks again.
	}
}

/** By what an event is known. */
export interface Claim {
	/** Where an earlier event has left one of these, this one is a repeat. */
	asks: readonly string[];
	/** What it leaves itself. */
	leaves: readonly string[];
}

/**
 * Says by what an event is known when it comes again: `Msg-ID` (where it has one), leg and kind. A leg that stands for a call
 * without a first leg also speaks for all others that it knows of; a missed call is told even so.
 */
export function claimOf(
	url: string,
	{
		event,
		standing,
		value,
	}: { event: CallEvent; standing?: Standing | undefined; value: EventValue },
	dropRepeats: boolean,
): Claim {
	const { hook, callId, otherLeg, bridgeId, direction, fields } = event;
	const message = textField(fields, 'Msg-ID') ?? direction ?? '';
	const own = dropRepeats ? [eventKey([url, message, callId, hook])] : [];
	if (standing === undefined) return { asks: own, leaves: own };

	const keyOf = (kind: 'call' | 'leg', id: string) => [kind, hook, id, url].join(' ');
	if (standing === 'first') {
		const calls = value === 'missed' ? [] : [keyOf('call', callId)];
		return { asks: [...own, ...calls], leaves: [...own, keyOf('leg', callId)] };
	}
	const ids = [callId, otherLeg, bridgeId].filter((id) => id !== undefined);
	const leaves = [...own, ...ids.map((id) => keyOf('call', id))];
	return { asks: [...leaves, ...ids.map((id) => keyOf('leg', id))], leaves };
}

/** How many keys are remembered; each takes about 200 bytes. */
const MAX_KEYS = 20_000;

/** The part of an HTTP response that tells whether n8n has taken a delivery. */
export interface Answering {
	statusCode: number;
	/** The sender has gone. */
	destroyed: boolean;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** By key, whether the delivery that left it was accepted; a promise while n8n has not answered yet. */
const accepted = new LruMap<string, Promise<boolean>>(MAX_KEYS);

/** Makes the key of an event of what makes two deliveries the same: URL, `Msg-ID`, leg and kind. */
export function eventKey(identity: readonly string[]): string {
	return createHash('sha1').update(JSON.stringify(identity)).digest('base64');
}

/**
 * Tells for each event of a delivery whether it has not started the workflow before, in this process. One counts from the
 * moment n8n has answered its delivery with 2xx; of two deliveries at the same time the second waits for the first one's answer.
 */
export async function takeFresh(claims: readonly Claim[], response: Answering): Promise<boolean[]> {
	const asked = [...new Set(claims.flatMap(({ asks }) => asks))];
	for (;;) {
		const before = asked.map((key) => accepted.get(key));
		const wasAccepted = await Promise.all(before);
		// Others may have come in between; nothing is claimed before all is known, so nobody waits for itself.
		if (before.some((state, index) => accepted.get(asked[index] ?? '') !== state)) continue;

		const taken = new Set(asked.filter((_, index) => wasAccepted[index] === true));
		const isFresh = claims.map(({ asks, leaves }) => {
			const isNew = !asks.some((key) => taken.has(key));
			if (isNew) leaves.forEach((key) => taken.add(key));
			return isNew;
		});
		const left = claims.filter((_, index) => isFresh[index]).flatMap(({ leaves }) => leaves);
		if (left.length > 0) remember(left, response);
		return isFresh;
	}
}

function remember(keys: string[], response: Answering): void {
	// It would never tell of its end.
	if (response.destroyed) return;
	const answer = new Promise<boolean>((resolve) => {
		response.once('finish', () => resolve(response.statusCode >= 200 && response.statusCode < 300));
		response.once('close', () => resolve(false));
	});
	for (const key of keys) accepted.set(key, answer);
}
