import type { IHookFunctions } from 'n8n-workflow';

import { EVENTS, hooksOf } from '../../events/table';
import type { HookName } from '../../events/table';
import type { Subscription } from '../../subscription/lifecycle';
import { homeOf } from './home';
import type { Settings } from './settings';

const MAX_NAME = 80;

/**
 * What the node's settings make of webhooks: one for each hook of the chosen events (§2.5).
 *
 * @throws NodeOperationError when the node has no address or no credential
 */
export async function subscriptionOf(
	context: IHookFunctions,
	{ events, retries, customData }: Settings,
): Promise<Subscription> {
	const workflow = context.getWorkflow().name ?? 'workflow';
	return {
		...(await homeOf(context)),
		hooks: hooksOf(events).map((hook) => ({ hook, name: nameOf(workflow, hook) })),
		retries,
		customData,
	};
}

/** For people who look at the PBX's list of webhooks. */
export function nameOf(workflow: string, hook: HookName): string {
	const event = EVENTS.find((row) => row.hook === hook)?.name ?? hook;
	const text = `n8n: ${workflow}`.replace(/\s+/g, ' ').trim();
	return `${cut(text, MAX_NAME - event.length - 3)} (${event})`;
}

/** Cuts between what a reader takes for characters: an emoji may consist of many. */
function cut(text: string, length: number): string {
	let kept = '';
	for (const { segment } of new Intl.Segmenter().segment(text)) {
		if (kept.length + segment.length > length) break;
		kept += segment;
	}
	return kept;
}
