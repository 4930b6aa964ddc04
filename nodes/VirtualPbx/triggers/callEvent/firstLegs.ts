import type { IWebhookFunctions } from 'n8n-workflow';

import type { LegContext } from '../../events/leg';
import { callOfEvent } from '../../events/leg';
import type { CallEvent } from '../../events/parse';
import type { Standing } from '../../events/standing';
import { standingOf } from '../../events/standing';
import { legProfileOf } from '../../records/legProfile';
import { readCdrs } from '../../records/readCdrs';
import { openPbx } from '../../transport/pbx';
import { LruMap } from '../../values/lruMap';
import { unixToGregorian } from '../../values/time';
import { accountIn, optionsOf } from '../settings';

/** What a leg is in its call. */
export interface Place extends LegContext {
	/** Set where the call may start the workflow only once. */
	standing?: Standing | undefined;
}

/** What a leg is in its call, and whether it stands for it, by all that this process knows. */
export function placeInCall(context: IWebhookFunctions, url: string, event: CallEvent): Place {
	const standing = standingOf(event);
	const pair = standing === 'open' ? pairOf(url, event) : undefined;
	const isFirst = standing === 'open' ? pair !== undefined : standing !== 'other';
	if (isFirst || !mayStandForCall(event)) return { standing, isFirst, pair };
	return lackFirstLegs(context, url)
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

/** How many legs are remembered; each takes some kB. */
const MAX_LEGS = 1000;

/** By URL, event and leg: legs of which only the other one can tell whether they are a call without a first leg. */
const openLegs = new LruMap<string, CallEvent>(MAX_LEGS);

/**
 * Finds the event of the other leg of an `open` one, if that leg names this one, too: both are a click-to-call then, and the
 * second one to come stands for it. Only in this process: where the first one came to another, the call is not told.
 */
function pairOf(url: string, event: CallEvent): CallEvent | undefined {
	const keyOf = (callId = '') => [event.hook, callId, url].join(' ');
	openLegs.set(keyOf(event.callId), event);
	const other = openLegs.get(keyOf(event.otherLeg));
	return other?.otherLeg === event.callId ? other : undefined;
}

/** What is known of the calls of one trigger. */
interface Known {
	hasFirstLegs?: boolean | undefined;
	/** Until when that holds without being asked for again. */
	until: number;
	askedAt: number;
}

const MAX_URLS = 10_000;
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

/** By the trigger's URL. */
const known = new LruMap<string, Known>(MAX_URLS);

/** Notes that inbound legs come to a trigger. */
export function noteInbound(url: string, events: readonly CallEvent[]): void {
	if (!events.some(({ direction }) => direction === 'inbound')) return;
	const now = Date.now();
	known.set(url, { hasFirstLegs: true, until: now + SEEN_MS, askedAt: now });
}

/** Tells whether calls have no first leg that the PBX reports; where unknown, learns it from the records, in the background. */
function lackFirstLegs(context: IWebhookFunctions, url: string): boolean {
	const now = Date.now();
	const { hasFirstLegs, until, askedAt } = known.get(url) ?? { until: 0, askedAt: -Infinity };
	if (now > until && now - askedAt >= PAUSE_MS) {
		known.set(url, { hasFirstLegs, until, askedAt: now });
		void learn(context, url);
	}
	return hasFirstLegs === false;
}

/** Reads the newest records of the trigger's account, of an ever longer time, until they tell enough. */
async function learn(context: IWebhookFunctions, url: string): Promise<void> {
	try {
		const accountId = accountIn(optionsOf(context));
		const pbx = await openPbx(context, { accountId, deadline: AbortSignal.timeout(BUDGET_MS) });
		const to = Math.ceil(unixToGregorian(Date.now() / 1000)) + AHEAD_SECONDS;
		for (const hours of HOURS) {
			const from = to - AHEAD_SECONDS - hours * 3600;
			const records = await readCdrs(pbx, { from, to, accountId }, MAX_RECORDS);
			const { hasFirstLegs } = legProfileOf(records, Date.now());
			if (hasFirstLegs === undefined) continue;
			const { until = 0, askedAt = 0 } = known.get(url) ?? {};
			// An inbound leg that came meanwhile tells more than records.
			const isNew = until <= Date.now();
			if (isNew) known.set(url, { hasFirstLegs, until: Date.now() + READ_MS, askedAt });
			return;
		}
	} catch {
		// Whoever may not read records is none the worse for it: the next event asks again.
	}
}
