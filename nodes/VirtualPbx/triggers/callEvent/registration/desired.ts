import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { readAccountId } from '../../../parameters/options';
import { triggerScope } from '../../../parameters/parameter';
import { TAG_NAME, writeTag } from '../../../pbx/events/webhookTag';
import type { Tag } from '../../../pbx/events/webhookTag';
import type { PbxHook } from '../../../pbx/events/table';
import { hooksOf, nameOfHook } from '../../../pbx/events/table';
import { otherSide, ownAddress } from '../../runtime/address';
import type { Desired } from '../../runtime/managedResource';
import { ownerOf, secretOf } from '../authenticity';
import type { Settings } from '../settings';
import { verifies } from '../settings';

/** The webhooks that an event trigger wants at the PBX. */
export interface DesiredWebhooks extends Desired {
	/** The address that the PBX is told. */
	uri: string;
	/** Where the production trigger listens for test events: what an n8n that was stopped has left there goes. */
	testUri: string | undefined;
	hooks: ReadonlyArray<{ hook: PbxHook; name: string }>;
	retries: number;
	customData: IDataObject;
	/** Whether a webhook may lack our tag, since deliveries are not verified. */
	mayBeUntagged: boolean;
	/** What this process has learned of the webhooks since it has read the parameters. */
	seen: {
		/** The tag that they carry. */
		tag?: Tag;
		/** Whether the PBX has shown our tag, so that a webhook without custom data has lost it. */
		showsTags: boolean;
		/** Whether the PBX shows no delivery attempts for what it was just told to try, so that this says nothing. */
		showsNoRetries: boolean;
	};
}

/** Reads what the parameters make of webhooks: one for each hook of the chosen events (§2.5). Throws as `ownAddress` does. */
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
		hooks: hooksOf(events).map((hook) => ({ hook, name: webhookName(workflow, hook) })),
		retries,
		customData,
		checkMinutes,
		startsErrorWorkflow,
		accountId: readAccountId(triggerScope(context)),
		mayBeUntagged: !verifies(context),
		seen: { showsTags: false, showsNoRetries: false },
	};
}

/** For people who look at the PBX's list of webhooks: the workflow and the event. */
export function webhookName(workflow: string, hook: PbxHook): string {
	return `n8n: ${workflow.replace(/\s+/g, ' ').trim()} (${nameOfHook(hook)})`;
}

/** Returns the tag that webhooks of these settings carry now; throws when the credential cannot be read. */
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

/** Returns the webhook of a hook as it is to be registered: the body of PUT `webhooks` (§4.4). */
export function newWebhook(
	{ uri, retries, customData }: DesiredWebhooks,
	tag: Tag,
	{ hook, name }: DesiredWebhooks['hooks'][number],
): IDataObject {
	const custom_data = { ...customData, [TAG_NAME]: writeTag(tag) };
	return { name, uri, http_verb: 'post', hook, retries, custom_data };
}
