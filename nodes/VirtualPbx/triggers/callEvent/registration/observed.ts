import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { Pbx } from '../../../pbx/client';
import { findTags, findTagTexts } from '../../../pbx/events/webhookTag';
import type { Tag } from '../../../pbx/events/webhookTag';
import type { PbxHook } from '../../../pbx/events/table';
import { hookOfName } from '../../../pbx/events/table';
import { deafnessOf, isDisabled, makesNoAttempt } from '../../../pbx/webhooks/health';
import { isSameAddress, listWebhooks, readWebhooks, webhookId } from '../../../pbx/webhooks/list';
import { asText } from '../../../util/json';
import { isListening } from '../../runtime/activeNodes';
import { ownerOf } from '../authenticity';
import type { DesiredWebhooks } from './desired';

const MAX_REASON = 200;

/** A webhook of this node as the PBX shows it. */
export interface ObservedWebhook {
	id: string;
	/** Undefined for a hook that the event trigger does not know. */
	hook: PbxHook | undefined;
	/** Whether it calls the address that is desired now. */
	isHere: boolean;
	mark: Tag | undefined;
	hidesCustomData: boolean;
	isDisabled: boolean;
	/** How it was set so that no event reaches the trigger. */
	deafness: string | undefined;
	makesNoAttempt: boolean;
	/** Why the PBX has disabled it, in its words. */
	disableReason: string | undefined;
}

/**
 * Finds the webhooks of this node at the PBX (§4.4): those that carry its mark, at its address or left by a stopped n8n at its
 * test address, and those at its address without any mark for an event that it registers. With `isListEnough`, what the list shows of
 * them will do where the PBX does not show them one by one. Notes in `desired` that the PBX shows marks. Throws PbxError.
 */
export async function observe(
	context: IHookFunctions | ITriggerFunctions,
	pbx: Pbx,
	desired: DesiredWebhooks,
	isListEnough = false,
): Promise<ObservedWebhook[]> {
	const { uri } = desired;
	const testUri = isListening(context) ? undefined : desired.testUri;
	const isAtOurs = (given: unknown) =>
		isSameAddress(given, uri) || (testUri !== undefined && isSameAddress(given, testUri));
	const listed = await listWebhooks(pbx);
	const possible = listed.filter((item) => typeof item.uri !== 'string' || isAtOurs(item.uri));
	const whole = await readWebhooks(pbx, possible).catch((error: unknown) => {
		if (isListEnough && possible.length > 0) return possible;
		throw error;
	});
	const found = whole
		.filter((webhook) => isAtOurs(webhook.uri))
		.filter(
			(webhook) => findTags(webhook.custom_data).length > 0 || mayBeUnmarked(webhook, desired),
		)
		.map((webhook) => read(webhook, desired))
		.filter(({ mark, isHere }) => (mark ? mark.owner === ownerOf(context) : isHere));
	desired.showsMarks ||= found.some(({ mark }) => mark !== undefined);
	return found;
}

/** Without a mark, a webhook for an event that this trigger does not register is a stranger's. */
function mayBeUnmarked(webhook: IDataObject, desired: DesiredWebhooks): boolean {
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
	const { uri, showsNoRetries } = desired;
	return {
		id: webhookId(webhook) ?? '',
		hook: hookIn(webhook, desired),
		isHere: isSameAddress(webhook.uri, uri),
		mark: findTags(webhook.custom_data)[0],
		hidesCustomData: hidesMark(webhook.custom_data),
		isDisabled: isDisabled(webhook),
		deafness: deafnessOf(showsNoRetries ? { http_verb } : webhook),
		makesNoAttempt: makesNoAttempt(webhook.retries),
		disableReason: asText(webhook.disable_reason)?.slice(0, MAX_REASON),
	};
}

/** Whether the PBX shows no custom data, or only that there is a mark. */
function hidesMark(customData: unknown): boolean {
	if (customData === undefined || customData === null) return true;
	const texts = findTagTexts(customData);
	return texts.length > 0 && texts.every((text) => MASKED.test(text));
}

const MASKED = /^[^\p{L}\p{N}]*$|\*{3}/u;
