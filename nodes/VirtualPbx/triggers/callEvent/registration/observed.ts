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
	/** Undefined for a hook that the event trigger does not know. */
	hook: PbxHook | undefined;
	/** Whether it calls the address that is desired now. */
	isHere: boolean;
	tag: Tag | undefined;
	hidesCustomData: boolean;
	isDisabled: boolean;
	/** How it was set so that no event reaches the trigger. */
	deafness: string | undefined;
	makesNoAttempt: boolean;
	/** Why the PBX has disabled it, in its words. */
	disableReason: string | undefined;
}

/** The webhooks of this node, and by what they are judged. */
export interface ObservedWebhooks {
	webhooks: ObservedWebhook[];
	/** What they should carry now. It follows from the credential, so a changed password renews it. */
	tag: Tag;
	/** Whether webhooks that show no tag may be taken for right, although this process has not registered them. */
	mayAssume: boolean;
}

/**
 * Finds the webhooks of this node at the PBX (§4.4): those that carry its tag, at its address or left by a stopped n8n at its
 * test address, and those at its address without any tag for an event that it registers. For a removal, what the list shows of
 * them will do where the PBX does not show them one by one. Throws where the credential or the PBX cannot be read.
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

/** Without a tag, a webhook for an event that this trigger does not register is a stranger's. */
function mayBeUntagged(webhook: IDataObject, desired: DesiredWebhooks): boolean {
	const showsNothing = [webhook.hook, webhook.name].every((shown) => asText(shown) === undefined);
	return showsNothing || desired.hooks.some(({ hook }) => hook === hookIn(webhook, desired));
}

/** The hook of a webhook; by the name that it was registered with, where the PBX does not show the hook. */
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

/** Whether the PBX shows no custom data, or only that there is a tag. */
function hidesTag(customData: unknown): boolean {
	if (customData === undefined || customData === null) return true;
	const texts = findTagTexts(customData);
	return texts.length > 0 && texts.every((text) => MASKED.test(text));
}

const MASKED = /^[^\p{L}\p{N}]*$|\*{3}/u;
