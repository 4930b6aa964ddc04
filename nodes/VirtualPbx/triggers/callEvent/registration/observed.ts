import type { IDataObject } from 'n8n-workflow';

import { findTags, findTagTexts } from '../../../pbx/events/webhookTag';
import type { Tag } from '../../../pbx/events/webhookTag';
import type { PbxHook } from '../../../pbx/events/table';
import { hookOfName } from '../../../pbx/events/table';
import { deafnessOf, isDisabled, makesNoAttempt } from '../../../pbx/webhooks/health';
import { isSameAddress, listWebhooks, readWebhooks, webhookId } from '../../../pbx/webhooks/list';
import { asText } from '../../../util/json';
import type { Work } from '../../runtime/managedResource';
import { runtimeOf } from '../../runtime/nodeRuntime';
import { stateOf } from '../triggerState';
import type { DesiredWebhooks } from './desired';
import { makeTag } from './desired';

const MAX_REASON = 200;

/** A webhook of this node as the PBX shows it. */
export interface ObservedWebhook {
	id: string;
	/** Undefined for a hook unknown to the event trigger. */
	hook: PbxHook | undefined;
	/** Whether it calls the address that is desired now. */
	isHere: boolean;
	tag: Tag | undefined;
	hidesCustomData: boolean;
	isDisabled: boolean;
	/** Which of its settings keep events from reaching the trigger. */
	deafness: string | undefined;
	makesNoAttempt: boolean;
	/** Why the PBX disabled it, in the PBX's words. */
	disableReason: string | undefined;
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
	const isAtOurs = (given: unknown) =>
		isSameAddress(given, desired.uri) || (testUri !== undefined && isSameAddress(given, testUri));
	const listed = await listWebhooks(pbx);
	const possible = listed.filter((item) => typeof item.uri !== 'string' || isAtOurs(item.uri));
	const whole = await readWebhooks(pbx, possible).catch((error: unknown) => {
		if (purpose === 'remove' && possible.length > 0) return possible;
		throw error;
	});
	const webhooks = whole
		.filter((webhook) => isAtOurs(webhook.uri))
		.filter(
			(webhook) => findTags(webhook.custom_data).length > 0 || mayBeUntagged(webhook, desired),
		)
		.map((webhook) => read(webhook, desired))
		.filter((webhook) => (webhook.tag ? webhook.tag.owner === tag.owner : webhook.isHere));
	desired.seen.showsTags ||= webhooks.some((webhook) => webhook.tag !== undefined);
	return { webhooks, tag, mayAssume };
}

/** An untagged webhook for an event that this trigger doesn't register belongs to someone else. */
function mayBeUntagged(webhook: IDataObject, desired: DesiredWebhooks): boolean {
	const showsNothing = [webhook.hook, webhook.name].every((shown) => asText(shown) === undefined);
	return showsNothing || desired.hooks.some(({ hook }) => hook === hookIn(webhook, desired));
}

/** Returns a webhook's hook, inferred from its registered name if the PBX doesn't show the hook. */
function hookIn({ hook, name }: IDataObject, { hooks }: DesiredWebhooks): PbxHook | undefined {
	const shown = asText(hook);
	if (shown !== undefined) return hookOfName(shown);
	return hooks.find((wanted) => wanted.name === name)?.hook;
}

function read(webhook: IDataObject, desired: DesiredWebhooks): ObservedWebhook {
	const { http_verb } = webhook;
	const { uri, seen } = desired;
	return {
		id: webhookId(webhook) ?? '',
		hook: hookIn(webhook, desired),
		isHere: isSameAddress(webhook.uri, uri),
		tag: findTags(webhook.custom_data)[0],
		hidesCustomData: hidesTag(webhook.custom_data),
		isDisabled: isDisabled(webhook),
		deafness: deafnessOf(seen.showsNoRetries ? { http_verb } : webhook),
		makesNoAttempt: makesNoAttempt(webhook.retries),
		disableReason: asText(webhook.disable_reason)?.slice(0, MAX_REASON),
	};
}

/** Returns whether the PBX shows no custom data, or only that there is a tag. */
function hidesTag(customData: unknown): boolean {
	if (customData === undefined || customData === null) return true;
	const texts = findTagTexts(customData);
	return texts.length > 0 && texts.every((text) => MASKED.test(text));
}

const MASKED = /^[^\p{L}\p{N}]*$|\*{3}/u;
