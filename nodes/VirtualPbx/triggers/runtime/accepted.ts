import type { PbxHook } from '../../pbx/events/table';
import { LruMap } from '../../util/lruMap';

const MOST_WEBHOOKS = 4000;

/**
 * When n8n last took a delivery, in Unix milliseconds, by address and hook; written by the event trigger alone. Known only
 * in the process that took it. Platforms that log failures only show no success at all.
 */
export const acceptedDeliveries = new LruMap<string, number>(MOST_WEBHOOKS);

/** Records that n8n has taken a delivery. */
export function recordAccepted(uri: string, hook: PbxHook): void {
	acceptedDeliveries.set(keyOf(uri, hook), Date.now());
}

/** Returns when this process last took a delivery of a webhook, in Unix milliseconds. */
export function acceptedAt(uri: string, hook: PbxHook | undefined): number | undefined {
	return hook && acceptedDeliveries.get(keyOf(uri, hook));
}

function keyOf(uri: string, hook: PbxHook): string {
	return `${hook} ${URL.canParse(uri) ? new URL(uri).href : uri}`;
}
