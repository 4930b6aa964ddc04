import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { readAccountId } from '../../../parameters/options';
import { triggerScope } from '../../../parameters/parameter';
import { TAG_NAME, writeTag } from '../../../pbx/events/webhookTag';
import type { Tag } from '../../../pbx/events/webhookTag';
import type { PbxHook } from '../../../pbx/events/table';
import { pbxHooksFor, nameOfHook } from '../../../pbx/events/table';
import type { WebhookInput } from '../../../pbx/webhooks/webhook';
import { otherSide, ownAddress } from '../../runtime/address';
import type { Desired } from '../../runtime/managedResource';
import { ownerOf, secretOf } from '../authenticity';
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
		/** Whether the PBX has shown our tag, so that a webhook without custom data must have lost it. */
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

/** Returns the tag that webhooks of these settings carry now. Throws if the credential can't be read. */
export async function makeTag(
	context: IHookFunctions | ITriggerFunctions,
	{ retries, customData }: Pick<DesiredWebhooks, 'retries' | 'customData'>,
): Promise<Tag> {
	const settings = createHash('sha256')
		.update(JSON.stringify([retries, customData]))
		.digest('hex');
	return {
		owner: ownerOf(context),
		settings: settings.slice(0, 8),
		secret: await secretOf(context),
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
