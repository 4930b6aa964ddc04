import { createHash } from 'node:crypto';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import type { CallEvent, Standing } from '../../events/parse';
import { textField } from '../../events/payload';
import type { EventValue } from '../../events/table';
import { haveInboundLegs } from '../../records/call';
import { readCdrs } from '../../records/readCdrs';
import { openPbx } from '../../transport/pbx';
import { unixToGregorian } from '../../values/time';
import { inAccount, placeOf } from './home';

/** An event that may start the workflow of a trigger. */
export interface Candidate {
	/** The trigger's URL. */
	url: string;
	event: CallEvent;
	/** As what it starts the workflow, where that is known. */
	value?: EventValue | undefined;
	/** Set where the call may start the workflow only once. */
	standing?: Standing | undefined;
}

/** How many legs are remembered; each takes about 300 bytes. */
const MAX_LEGS = 10_000;

/** By leg and event, the other leg that it named. */
const named = new Map<string, string>();

/**
 * Tells whether an `open` leg's other leg has named it, too: as legs of the same direction both are they a call without
 * an inbound leg, and the second one to come stands for it. In this process; where the first one came to another, or a
 * restart lies between, the call is not told.
 */
export function isNamedBack({ url, event }: Candidate): boolean {
	const other = event.otherLeg;
	if (other === undefined) return false;
	const keyOf = (callId: string) => [event.hook, callId, url].join(' ');
	const own = keyOf(event.callId);
	named.delete(own);
	named.set(own, other);
	const [oldest] = named.keys();
	if (named.size > MAX_LEGS && oldest !== undefined) named.delete(oldest);
	return named.get(keyOf(other)) === event.callId;
}

/**
 * Says by what an event is known when it comes again: by `Msg-ID`, leg and kind, or by leg and kind alone where there is
 * no `Msg-ID`. A leg that stands for a call without an inbound leg also speaks for all others that it knows of; a missed
 * call is told even so.
 *
 * @param dropRepeats whether an event that comes again is a repeat at all
 */
export function claimOf({ url, event, value, standing }: Candidate, dropRepeats: boolean): Claim {
	const { hook, callId } = event;
	const message = textField(event.fields, 'Msg-ID') ?? event.direction ?? '';
	const own = dropRepeats ? [eventKey([url, message, callId, hook])] : [];
	if (standing === undefined) return { asks: own, leaves: own };

	const keyOf = (kind: 'call' | 'leg', id: string) => [kind, hook, id, url].join(' ');
	if (standing === 'first') {
		const calls = value === 'missed' ? [] : [keyOf('call', callId)];
		return { asks: [...own, ...calls], leaves: [...own, keyOf('leg', callId)] };
	}
	const legs = [callId, event.otherLeg, event.bridgeId].filter((id) => id !== undefined);
	const calls = legs.map((id) => keyOf('call', id));
	return {
		asks: [...own, ...calls, ...legs.map((id) => keyOf('leg', id))],
		leaves: [...own, ...calls],
	};
}

/** How many keys are remembered; each takes about 200 bytes. */
const MAX_KEYS = 20_000;

/** The part of an HTTP response that tells whether n8n has taken a delivery. */
export interface Answering {
	statusCode: number;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** By key, whether the delivery that left it was accepted; a promise while n8n has not answered yet. */
const accepted = new Map<string, Promise<boolean>>();

/**
 * Makes the key of an event.
 *
 * @param identity what makes two deliveries the same event: URL, `Msg-ID`, leg and kind
 */
export function eventKey(identity: readonly string[]): string {
	return createHash('sha1').update(JSON.stringify(identity)).digest('base64');
}

/** By what an event is known. */
export interface Claim {
	/** Where an earlier event has left one of these, this one is a repeat. */
	asks: readonly string[];
	/** What it leaves itself. */
	leaves: readonly string[];
}

/**
 * Tells which events have not started the workflow before, in this process, and remembers them.
 * An event counts from the moment n8n has answered its delivery with 2xx; one that n8n refused or failed to take is
 * new when it comes again. Of two deliveries at the same time the second waits for the first one's answer.
 *
 * @param claims of the events of one delivery, in order
 * @param response the answer to this delivery
 * @returns for each event whether it is new
 */
export async function takeFresh(
	claims: readonly Claim[],
	response: Partial<Answering>,
): Promise<boolean[]> {
	const asked = [...new Set(claims.flatMap(({ asks }) => asks))];
	for (;;) {
		const before = isAnswering(response) ? asked.map((key) => accepted.get(key)) : [];
		const wasAccepted = await Promise.all(before);
		// Others may have come in between; nothing is claimed before all is known, so nobody waits in a circle.
		if (before.some((state, index) => accepted.get(asked[index] ?? '') !== state)) continue;

		const taken = new Set(asked.filter((_, index) => wasAccepted[index] === true));
		const isFresh = claims.map(({ asks, leaves }) => {
			const isNew = !asks.some((key) => taken.has(key));
			if (isNew) leaves.forEach((key) => taken.add(key));
			return isNew;
		});
		const left = claims.filter((_, index) => isFresh[index]).flatMap(({ leaves }) => leaves);
		if (left.length > 0 && isAnswering(response)) remember(left, response);
		return isFresh;
	}
}

/** Without the end of a response nobody can tell what n8n has taken, so nothing may be dropped. */
function isAnswering(response: Partial<Answering>): response is Answering {
	return typeof response.once === 'function';
}

function remember(keys: string[], response: Answering): void {
	const answer = new Promise<boolean>((resolve) => {
		response.once('finish', () => resolve(response.statusCode >= 200 && response.statusCode < 300));
		response.once('close', () => resolve(false));
	});
	for (const key of keys) {
		accepted.delete(key);
		accepted.set(key, answer);
	}
	for (const oldest of accepted.keys()) {
		if (accepted.size <= MAX_KEYS) return;
		accepted.delete(oldest);
	}
}

/** What is known of the calls of one trigger. */
interface Known {
	haveInbound?: boolean | undefined;
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
const known = new Map<string, Known>();

/** Notes that inbound legs come to a trigger. */
export function noteInbound(url: string, events: readonly CallEvent[], now = Date.now()): void {
	if (!events.some(({ direction }) => direction === 'inbound')) return;
	learnt(url, { haveInbound: true, until: now + SEEN_MS, askedAt: now });
}

/**
 * Tells whether a trigger's calls have no inbound leg that the PBX reports, as far as this process knows. Where it does
 * not know, it learns so from the account's records (§2.4) in the background: the delivery does not wait for that.
 *
 * @param read reads the account's recent records until they tell enough; see {@link recentRecords}
 */
export function lackInbound(
	url: string,
	read: () => AsyncIterable<IDataObject[]>,
	now = Date.now(),
): boolean {
	const { haveInbound, until, askedAt } = known.get(url) ?? { until: 0, askedAt: -Infinity };
	if (now > until && now - askedAt >= PAUSE_MS) {
		learnt(url, { haveInbound, until, askedAt: now });
		void learn(url, read);
	}
	return haveInbound === false;
}

/** The newest records of the trigger's account, of an ever longer time. */
export async function* recentRecords(context: IWebhookFunctions): AsyncGenerator<IDataObject[]> {
	const now = Date.now();
	const { accountId } = placeOf(context);
	const pbx = inAccount(await openPbx(context, { until: now + BUDGET_MS }), accountId);
	const to = Math.ceil(unixToGregorian(now / 1000)) + AHEAD_SECONDS;
	for (const hours of HOURS) {
		const from = to - AHEAD_SECONDS - hours * 3600;
		yield await readCdrs(pbx, { from, to, accountId, windowSeconds: 0 }, MAX_RECORDS);
	}
}

async function learn(url: string, read: () => AsyncIterable<IDataObject[]>): Promise<void> {
	try {
		for await (const records of read()) {
			const haveInbound = haveInboundLegs(records, Date.now());
			if (haveInbound === undefined) continue;
			const { until = 0, askedAt = 0 } = known.get(url) ?? {};
			// An inbound leg that came meanwhile tells more than records.
			if (until <= Date.now()) learnt(url, { haveInbound, until: Date.now() + READ_MS, askedAt });
			return;
		}
	} catch {
		// Whoever may not read records is none the worse for it: the next event asks again.
	}
}

function learnt(url: string, what: Known): void {
	known.delete(url);
	known.set(url, what);
	const [oldest] = known.keys();
	if (known.size > MAX_URLS && oldest !== undefined) known.delete(oldest);
}
