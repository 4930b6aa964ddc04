import { createHash } from 'node:crypto';

/** How many events are remembered; each takes about 150 bytes. */
const MAX_EVENTS = 10_000;

/** The part of an HTTP response that tells whether n8n has taken a delivery. */
export interface Answering {
	statusCode: number;
	once(event: 'finish' | 'close', listener: () => void): unknown;
}

/** By event, whether its delivery was accepted; a promise while n8n has not answered yet. */
const accepted = new Map<string, Promise<boolean>>();

/**
 * Makes the key of an event.
 *
 * @param identity what makes two deliveries the same event: URL, `Msg-ID`, leg and event
 */
export function eventKey(identity: readonly string[]): string {
	return createHash('sha1').update(JSON.stringify(identity)).digest('base64');
}

/**
 * Tells which events have started the workflow before, in this process, and remembers the others.
 * An event counts from the moment n8n has answered its delivery with 2xx; one that n8n refused or failed to take is
 * new when it comes again. Of two deliveries at the same time the second waits for the first one's answer.
 *
 * @param keys the events of one delivery, from {@link eventKey}
 * @param response the answer to this delivery
 * @returns the keys that are repeats
 */
export async function takeRepeats(
	keys: readonly string[],
	response: Partial<Answering>,
): Promise<Set<string>> {
	if (!isAnswering(response)) return new Set();
	for (;;) {
		const before = keys.map((key) => accepted.get(key));
		const wasAccepted = await Promise.all(before);
		// Others may have come in between; nothing is claimed before all is known, so nobody waits in a circle.
		if (keys.some((key, index) => accepted.get(key) !== before[index])) continue;

		const repeats = new Set(keys.filter((_, index) => wasAccepted[index] === true));
		const fresh = keys.filter((key) => !repeats.has(key));
		if (fresh.length > 0) remember(fresh, response);
		return repeats;
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
		if (accepted.size <= MAX_EVENTS) return;
		accepted.delete(oldest);
	}
}
