import type { ITriggerFunctions } from 'n8n-workflow';

import type { PbxHook } from '../../pbx/events/table';
import { LruMap } from '../../util/lruMap';
import { memoriesOf, runtimeOf } from './nodeRuntime';

/** A node has one webhook for each hook, and few addresses in its life. */
const MOST_WEBHOOKS = 20;

/**
 * When n8n last took a delivery, in Unix milliseconds, by hook and address. Known only in the process that took it. Platforms
 * that log failures only show no success at all.
 */
class AcceptedDeliveries extends LruMap<string, number> {
	constructor() {
		super(MOST_WEBHOOKS);
	}
}

/** Records that n8n has taken a delivery. */
export function recordAccepted(
	context: Pick<ITriggerFunctions, 'getNode' | 'getWorkflow'>,
	uri: string,
	hook: PbxHook,
): void {
	runtimeOf(context).memory(AcceptedDeliveries).set(keyOf(uri, hook), Date.now());
}

/** Returns when this process last took a delivery of a webhook, in Unix milliseconds. */
export function acceptedAt(uri: string, hook: PbxHook | undefined): number | undefined {
	if (!hook) return undefined;
	const times = memoriesOf(AcceptedDeliveries).map((accepted) => accepted.get(keyOf(uri, hook)));
	return times.filter((at) => at !== undefined).sort((one, other) => other - one)[0];
}

function keyOf(uri: string, hook: PbxHook): string {
	return `${hook} ${URL.canParse(uri) ? new URL(uri).href : uri}`;
}
