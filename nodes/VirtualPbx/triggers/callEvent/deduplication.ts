import { createHash } from 'node:crypto';

import type { CallEvent } from '../../events/parse';
import { textField } from '../../events/payload';
import type { Standing } from '../../events/standing';
import type { EventValue } from '../../events/table';
import { LruMap } from '../../values/lruMap';

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
	const answer = new Promise<boolean>((resolve) => {
		response.once('finish', () => resolve(response.statusCode >= 200 && response.statusCode < 300));
		response.once('close', () => resolve(false));
	});
	for (const key of keys) accepted.set(key, answer);
}
