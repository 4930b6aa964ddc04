import { hash } from 'node:crypto';

import type { CallEvent } from '../../pbx/events/callEvent';
import type { EventValue } from '../../pbx/events/table';
import { BoundedMap } from '../../util/boundedMap';
import type { LegRole } from './firstLeg';

/** The keys that show duplicates of an event, or of its call. */
export interface DedupeKeys {
	/** An event is a duplicate if an earlier one was stored under one of these. */
	lookUp: readonly string[];
	/** The keys under which the event itself is stored. */
	keep: readonly string[];
}

/**
 * Returns an event's keys: `Msg-ID` (if it has one), leg, and kind. A first leg also covers its other leg, and a leg of
 * a call without a first leg all the legs it knows. A missed call starts the workflow even
 * if another of its legs did.
 */
export function dedupeKeysOf(
	url: string,
	{ event, role, value }: { event: CallEvent; role?: LegRole | undefined; value: EventValue },
	dropRepeats: boolean,
): DedupeKeys {
	const { hook, callId, otherLegId, bridgeId, direction, messageId } = event;
	const message = messageId ?? direction ?? '';
	const own = dropRepeats ? [dedupeKey([url, message, callId, hook])] : [];
	if (role === undefined) return { lookUp: own, keep: own };

	const keyOf = (kind: 'call' | 'leg', id: string) => [kind, hook, id, url].join(' ');
	if (role === 'first') {
		const others = otherLegId === undefined ? [] : [otherLegId];
		const called = [keyOf('call', callId), ...others.map((id) => keyOf('leg', id))];
		return {
			lookUp: [...own, ...(value === 'missed' ? [] : called)],
			keep: [...own, keyOf('leg', callId), ...others.map((id) => keyOf('call', id))],
		};
	}
	const ids = [callId, otherLegId, bridgeId].filter((id) => id !== undefined);
	const calls = [...own, ...ids.map((id) => keyOf('call', id))];
	return {
		lookUp: [...calls, ...ids.map((id) => keyOf('leg', id))],
		keep: [...calls, keyOf('leg', callId)],
	};
}

/** How many keys to remember at most, at about 200 bytes each. */
const MAX_KEYS = 20_000;

/** The part of an HTTP response that shows whether n8n accepted a delivery. */
export interface PendingResponse {
	statusCode: number;
	/** Whether the sender has disconnected. */
	destroyed: boolean;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** By key, whether n8n accepted its delivery; pending until n8n responds. */
const accepted = new BoundedMap<string, Promise<boolean>>(MAX_KEYS);

/** Returns a key that two deliveries of one event share: URL, `Msg-ID`, leg, and kind. */
export function dedupeKey(identity: readonly string[]): string {
	return hash('sha1', JSON.stringify(identity), 'base64');
}

/**
 * Returns for each event of a delivery whether it is new, that is, hasn't started the workflow in this process. An
 * event counts once n8n responds to its delivery with 2xx. Of two simultaneous deliveries, the second waits for the
 * response to the first.
 */
export async function takeFresh(
	events: readonly DedupeKeys[],
	response: PendingResponse,
): Promise<boolean[]> {
	const asked = events.flatMap(({ lookUp }) => lookUp);
	for (;;) {
		const before = asked.map((key) => accepted.get(key));
		const taken = new Set<string>();
		if (before.some((state) => state !== undefined)) {
			const wasAccepted = await Promise.all(before);
			// Others might have arrived meanwhile. Stores nothing until all is known, so no delivery waits for itself.
			if (before.some((state, index) => accepted.get(asked[index] ?? '') !== state)) continue;
			asked.filter((_, index) => wasAccepted[index]).forEach((key) => taken.add(key));
		}
		const isFresh = events.map(({ lookUp, keep }) => {
			const isNew = !lookUp.some((key) => taken.has(key));
			if (isNew) keep.forEach((key) => taken.add(key));
			return isNew;
		});
		const kept = events.filter((_, index) => isFresh[index]).flatMap(({ keep }) => keep);
		// The response of a sender who has disconnected never ends.
		if (kept.length > 0 && !response.destroyed) {
			const isAccepted = wasAccepted(response);
			for (const key of kept) accepted.set(key, isAccepted);
		}
		return isFresh;
	}
}

/** Returns whether n8n responds to a delivery with 2xx, once it has. */
export async function wasAccepted(response: PendingResponse): Promise<boolean> {
	if (response.destroyed) return false;
	return await new Promise<boolean>((resolve) => {
		response.once('finish', () => resolve(response.statusCode >= 200 && response.statusCode < 300));
		response.once('close', () => resolve(false));
	});
}
