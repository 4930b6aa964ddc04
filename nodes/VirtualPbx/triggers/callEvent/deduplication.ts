import type { IDataObject } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { BoundedMap } from '../../util/limits';
import { DAY_MS } from '../../util/time';

/** The keys that show duplicates of an event, or of its call. */
export interface DedupeKeys {
	/** An event is a duplicate if an earlier one was stored under one of these. */
	lookUp: readonly string[];
	/** The keys under which the event itself is stored. */
	keep: readonly string[];
	/** The event's `Call-ID`. */
	leg: string;
	/** A hash or ID that a repeat has in common with it, unlike the same event of a later call with the same `Call-ID`. */
	identity: string;
	/** When the leg began, as far as the event says, and when the event happened, in Unix milliseconds. */
	began: number;
	at: number;
}

/** How many keys to remember at most, at about 300 bytes each. */
const MAX_KEYS = 20_000;
/** How long after an event of a call another of its legs can begin. Later, its ID is another call's. */
const SAME_CALL_MS = 3_600_000;

/** The part of an HTTP response that shows whether n8n accepted a delivery. */
export interface PendingResponse {
	statusCode: number;
	end(...given: unknown[]): unknown;
}

/** An event that started the workflow, or that n8n is starting it with. */
interface Accepted extends Pick<DedupeKeys, 'leg' | 'identity' | 'at'> {
	arrivedAt: number;
	isRefused: boolean;
	/** Whether n8n has accepted it; pending until n8n responds. */
	settled: Promise<boolean>;
}

const accepted = new BoundedMap<string, Accepted>(MAX_KEYS);

/**
 * Claims an event: stores it and returns true, unless it has already started the workflow in this process. It counts
 * unless n8n responds to its delivery with an error. Of two simultaneous deliveries, the second waits for the response
 * to the first.
 */
export async function claim(
	{ lookUp, keep, ...event }: DedupeKeys,
	response: PendingResponse,
): Promise<boolean> {
	for (;;) {
		const earlier = lookUp
			.map((key) => accepted.get(key))
			.find((one) => one !== undefined && !one.isRefused && isOfSameCall(event, one));
		if (!earlier) break;
		if (await earlier.settled) return false;
	}
	const { leg, identity, at } = event;
	const settled = wasAccepted(response);
	const own: Accepted = { leg, identity, at, arrivedAt: Date.now(), isRefused: false, settled };
	own.settled = settled.then((isAccepted) => {
		own.isRefused = !isAccepted;
		return isAccepted;
	});
	for (const key of keep) accepted.set(key, own);
	return true;
}

/** PBXs use a `Call-ID` again. A leg has one event of each kind, so another one is of another call. */
function isOfSameCall(event: Omit<DedupeKeys, 'lookUp' | 'keep'>, earlier: Accepted): boolean {
	if (Date.now() - earlier.arrivedAt > DAY_MS) return false;
	return event.leg === earlier.leg
		? event.identity === earlier.identity
		: event.began - earlier.at <= SAME_CALL_MS;
}

/**
 * Returns whether n8n responds to a delivery with 2xx, once it has. If the sender doesn't wait for that, n8n starts the
 * workflow all the same, and the response never finishes. So the status counts that n8n ends it with.
 */
async function wasAccepted(response: PendingResponse): Promise<boolean> {
	const end = response.end.bind(response);
	return await new Promise<boolean>((resolve) => {
		response.end = (...given) => {
			resolve(response.statusCode >= 200 && response.statusCode < 300);
			return end(...given);
		};
	});
}

/** How long the first delivery of a group waits for more. A stock Kazoo waits a second for the response. */
const OPEN_MS = 400;
/** Enough for the busiest PBX, and the most that one execution starts with. */
const MAX_EVENTS = 500;

interface Group {
	items: IDataObject[];
	/** Whether n8n accepted the delivery that starts the workflow with all items. */
	started: Promise<boolean>;
}

/** The deliveries of one trigger that wait to start the workflow together. */
export class EventGroups {
	private open: Group | undefined;

	/**
	 * Adds items to the open group. The first delivery of a group gets all its items after {@link OPEN_MS}, to start the
	 * workflow with them. The others get no items once n8n has accepted the first, and undefined if it didn't.
	 */
	async join(items: IDataObject[], response: PendingResponse): Promise<IDataObject[] | undefined> {
		const { open } = this;
		if (open && open.items.length + items.length <= MAX_EVENTS) {
			open.items.push(...items);
			return (await open.started) ? [] : undefined;
		}
		const group = { items: [...items], started: wasAccepted(response) };
		this.open = group;
		await sleep(OPEN_MS);
		if (this.open === group) this.open = undefined;
		return group.items;
	}
}
