import type { ITriggerFunctions } from 'n8n-workflow';

import type { PbxHook } from '../../pbx/events/table';
import { BoundedMap } from '../../util/boundedMap';
import { memoriesOf, runtimeOf } from './nodeRuntime';

/** A node has one webhook per hook, and few addresses in its lifetime. */
const MOST_WEBHOOKS = 20;

/**
 * When n8n last accepted a delivery, in Unix milliseconds, by hook and address. Only the process that accepted it
 * knows. Platforms that log only failures show no success at all.
 */
class AcceptedDeliveries extends BoundedMap<string, number> {
	constructor() {
		super(MOST_WEBHOOKS);
	}
}

/** Records that n8n accepted a delivery. */
export function recordAccepted(
	context: Pick<ITriggerFunctions, 'getNode' | 'getWorkflow'>,
	uri: string,
	hook: PbxHook,
): void {
	runtimeOf(context).memory(AcceptedDeliveries).set(keyOf(uri, hook), Date.now());
}

/** Returns when this process last accepted a webhook's delivery, in Unix milliseconds. */
export function acceptedAt(uri: string, hook: PbxHook | undefined): number | undefined {
	if (!hook) return undefined;
	const times = memoriesOf(AcceptedDeliveries).map((accepted) => accepted.get(keyOf(uri, hook)));
	return times.filter((at) => at !== undefined).sort((one, other) => other - one)[0];
}

function keyOf(uri: string, hook: PbxHook): string {
	return `${hook} ${URL.canParse(uri) ? new URL(uri).href : uri}`;
}
