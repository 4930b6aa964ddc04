import type { PbxHook } from '../../../pbx/events/table';
import { hookOfName } from '../../../pbx/events/table';
import type { Tag } from '../../../pbx/events/webhookTag';
import type { Webhook } from '../../../pbx/webhooks/webhook';
import type { Work } from '../../runtime/managedResource';
import { runtimeOf } from '../../runtime/nodeRuntime';
import { stateOf } from '../triggerState';
import type { DesiredWebhooks } from './desired';
import { makeTag } from './desired';

/** A webhook of this node as the PBX shows it. */
export interface ObservedWebhook {
	webhook: Webhook;
	/** Undefined for a hook unknown to the event trigger. */
	hook: PbxHook | undefined;
	/** Whether it calls the address that is desired now. */
	isHere: boolean;
	tag: Tag | undefined;
	/** Which of its settings keep events from reaching the trigger. */
	deafness: string | undefined;
}

/** The webhooks of this node, and the facts to judge them by. */
export interface ObservedWebhooks {
	webhooks: ObservedWebhook[];
	/** The tag that they should carry now. Derived from the credential, so a changed password changes it. */
	tag: Tag;
	/** Whether webhooks without a visible tag can be assumed correct even if this process didn't register them. */
	mayAssume: boolean;
}

/**
 * Finds this node's webhooks at the PBX (§4.4): those that carry its tag, at its address or left by a stopped n8n at
 * its test address, and untagged ones at its address for an event that it registers. For a removal, the list's data is
 * enough if the PBX doesn't show webhooks one by one. Throws if the credential or the PBX can't be read.
 */
export async function observe({
	context,
	pbx,
	desired,
	purpose,
}: Work<DesiredWebhooks>): Promise<ObservedWebhooks> {
	const { secrets } = stateOf(context);
	const tag = await makeTag(context, desired);
	const isCheck = purpose === 'check';
	if (isCheck && secrets.isDoubted) delete desired.seen.tag;
	const mayAssume = isCheck && secrets.mayBeAssumed;
	const isListening = runtimeOf(context).endpoints.test?.activation !== undefined;
	const testUri = isListening ? undefined : desired.testUri;
	const isAtOurs = (webhook: Webhook) =>
		webhook.calls(desired.uri) || (testUri !== undefined && webhook.calls(testUri));
	const listed = await pbx.webhooks.list({ isList: 'orNothing' });
	const possible = listed.filter((webhook) => webhook.uri === undefined || isAtOurs(webhook));
	const whole = await pbx.webhooks.readAll(possible).catch((error: unknown) => {
		if (purpose === 'remove' && possible.length > 0) return possible;
		throw error;
	});
	const webhooks = whole
		.filter(isAtOurs)
		.map((webhook) => judge(webhook, desired))
		.filter((found) => (found.tag ? found.tag.owner === tag.owner : mayBeUntagged(found, desired)));
	desired.seen.showsTags ||= webhooks.some((webhook) => webhook.tag !== undefined);
	return { webhooks, tag, mayAssume };
}

/** An untagged webhook for an event that this trigger doesn't register belongs to someone else. */
function mayBeUntagged({ webhook, hook, isHere }: ObservedWebhook, { hooks }: DesiredWebhooks) {
	const showsNothing = webhook.hook === undefined && webhook.name === undefined;
	return isHere && (showsNothing || hooks.some((wanted) => wanted.hook === hook));
}

function judge(webhook: Webhook, { uri, hooks, seen }: DesiredWebhooks): ObservedWebhook {
	const { hook, name, tags } = webhook;
	// If the PBX doesn't show the hook, the registered name does.
	const named = hooks.find((wanted) => wanted.name === name)?.hook;
	return {
		webhook,
		hook: hook === undefined ? named : hookOfName(hook),
		isHere: webhook.calls(uri),
		tag: tags[0],
		deafness: webhook.deafness({ ignoresRetries: seen.showsNoRetries }),
	};
}
