import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { readAccountId } from '../../../parameters/options';
import { triggerScope } from '../../../parameters/parameter';
import type { PbxHook } from '../../../pbx/events/table';
import { hookOfName, nameOfHook, pbxHooksFor } from '../../../pbx/events/table';
import type { Tag } from '../../../pbx/events/webhookTag';
import { TAG_NAME, writeTag } from '../../../pbx/events/webhookTag';
import type { CredentialData } from '../../../pbx/types';
import type { Webhook, WebhookInput } from '../../../pbx/webhooks/webhooks';
import { otherSide, ownAddress } from '../../runtime/address';
import type { Desired, Work } from '../../runtime/managedResource';
import { runtimeOf } from '../../runtime/nodeRuntime';
import { ownerOf, secretOf, webhookSecretsOf } from '../authenticity';
import type { Settings } from '../settings';
import { verifies } from '../settings';

/** The webhooks that an event trigger needs at the PBX. */
export interface DesiredWebhooks extends Desired {
	/** The address registered at the PBX. */
	uri: string;
	/** Where the production trigger listens for test events. Webhooks that a stopped n8n left there are removed. */
	testUri: string | undefined;
	hooks: ReadonlyArray<{ hook: PbxHook; name: string }>;
	retries: number;
	customData: IDataObject;
	/** Whether a webhook may lack our tag, since deliveries aren't verified. */
	mayBeUntagged: boolean;
	/** Facts that this process learned about the webhooks since it read the parameters. */
	seen: {
		/** The tag that they carry. */
		tag?: Tag;
		/** Whether the PBX has shown a tag, so that a webhook without custom data must have lost it. */
		showsTags: boolean;
		/**
		 * Whether the PBX shows zero attempts even for a webhook just registered with some, so that zero proves
		 * nothing.
		 */
		showsNoRetries: boolean;
	};
}

/** Reads the parameters as webhooks: one per hook of the selected events (§2.5). Throws as `ownAddress` does. */
export function readDesired(
	context: IHookFunctions,
	{ events, retries, customData, checkMinutes, startsErrorWorkflow }: Settings,
	isTest: boolean,
): DesiredWebhooks {
	const uri = ownAddress(context);
	const testUri = isTest ? uri : otherSide(uri);
	const workflow = context.getWorkflow().name ?? 'workflow';
	return {
		uri,
		testUri: testUri === uri ? undefined : testUri,
		hooks: pbxHooksFor(events).map((hook) => ({ hook, name: webhookName(workflow, hook) })),
		retries,
		customData,
		checkMinutes,
		startsErrorWorkflow,
		accountId: readAccountId(triggerScope(context)),
		mayBeUntagged: !verifies(context),
		seen: { showsTags: false, showsNoRetries: false },
	};
}

/** Names a webhook by workflow and event, for people who read the PBX's list. */
export function webhookName(workflow: string, hook: PbxHook): string {
	return `n8n: ${workflow.replace(/\s+/g, ' ').trim()} (${nameOfHook(hook)})`;
}

/** Returns the tag that webhooks of these settings carry with a credential. Throws if the credential can't be read. */
export async function makeTag(
	context: IHookFunctions | ITriggerFunctions,
	{ retries, customData }: Pick<DesiredWebhooks, 'retries' | 'customData'>,
	credential?: CredentialData,
): Promise<Tag> {
	const settings = createHash('sha256')
		.update(JSON.stringify([retries, customData]))
		.digest('hex');
	return {
		owner: ownerOf(context),
		settings: settings.slice(0, 8),
		secret: await secretOf(context, credential),
	};
}

/** Returns a hook's webhook to register. */
export function newWebhook(
	{ uri, retries, customData }: DesiredWebhooks,
	tag: Tag,
	{ hook, name }: DesiredWebhooks['hooks'][number],
): WebhookInput {
	const tagged = { ...customData, [TAG_NAME]: writeTag(tag) };
	return { name, uri, method: 'post', hook, retries, customData: tagged };
}

/** A webhook of this node as the PBX shows it. */
export interface ObservedWebhook {
	webhook: Webhook;
	/** Undefined for a hook unknown to the event trigger. */
	hook: PbxHook | undefined;
	/** Whether it calls the address that is desired now. */
	isHere: boolean;
	tag: Tag | undefined;
	/** Which of its settings keep events from reaching the trigger. */
	misconfiguration: string | undefined;
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
	credential,
	desired,
	purpose,
}: Work<DesiredWebhooks>): Promise<ObservedWebhooks> {
	const secrets = webhookSecretsOf(context);
	const tag = await makeTag(context, desired, credential);
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
		.filter((found) => (found.tag ? found.tag.owner === tag.owner : seemsOurs(found, desired)));
	desired.seen.showsTags ||= [...listed, ...whole].some(({ tags }) => tags.length > 0);
	return { webhooks, tag, mayAssume };
}

/** Returns whether an untagged webhook could be this node's. One for an unselected event belongs to someone else. */
function seemsOurs({ webhook, hook, isHere }: ObservedWebhook, { hooks }: DesiredWebhooks) {
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
		misconfiguration: webhook.misconfiguration({ ignoresRetries: seen.showsNoRetries }),
	};
}
