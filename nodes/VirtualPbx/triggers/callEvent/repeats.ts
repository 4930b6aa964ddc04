import { createHash } from 'node:crypto';

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
