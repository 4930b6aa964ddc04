import type { IHookFunctions } from 'n8n-workflow';

import { toNodeError } from '../../parameters/nodeError';
import type { ManagedResource } from '../runtime/managedResource';
import { createWebhookMethods } from '../runtime/managedResource';
import { sentence } from '../runtime/publishing';
import { reportDeliveries } from './registration/deliveries';
import type { DesiredWebhooks, ObservedWebhooks } from './registration/webhooks';
import { makeTag, observe, readDesired } from './registration/webhooks';
import type { Plan } from './registration/plan';
import { apply, diff } from './registration/plan';
import { sendSamples } from './samples';
import { webhookSecretsOf } from './authenticity';
import { assertNotReserved, isSampling, readSettings, wantsSamples } from './settings';

/** The event trigger's resource: one webhook per hook of the selected events (§2.5, §4.4). */
export const webhookResource: ManagedResource<DesiredWebhooks, ObservedWebhooks, Plan> = {
	title: 'Virtual PBX Trigger',
	leftovers:
		'webhooks of this trigger might still be registered at the PBX. Publish and unpublish the workflow again to remove them, or use Webhook > Delete Leftovers in a Virtual PBX node.',

	async readDesired(context, isTest) {
		if (isTest && wantsSamples(context)) return undefined;
		return readDesired(context, readSettings(context), isTest);
	},

	validate(context) {
		assertNotReserved(context, readSettings(context));
	},

	observe,
	diff,
	apply,

	settled({ context, desired, purpose }, { tag }) {
		desired.seen.tag = tag;
		if (purpose === 'check') webhookSecretsOf(context).settle();
	},

	subject: 'webhooks',
	inOrder: 'the webhooks are in order again.',

	/** If the PBX hides tags, webhooks seem correct until this process, or the PBX's log, shows a rejected delivery. */
	async inspect({ context, pbx, desired }, { webhooks }, reporter) {
		const refused = await reportDeliveries(pbx, desired, webhooks, reporter);
		const isDoubtful = !desired.mayBeUntagged && refused.some(({ tag }) => !tag);
		return isDoubtful && webhookSecretsOf(context).raiseDoubt();
	},

	problemOf({ context }, { differences }, outcome) {
		const what = differences.join(', ');
		// The PBX's reasons can differ each time.
		const key = differences.map((one) => one.replace(/ \(.*\)$/s, '')).join();
		if (typeof outcome === 'object') {
			const { message, description } = toNodeError(context, outcome.failure);
			return {
				subject: 'webhooks',
				key: `broken: ${key}`,
				message: `the webhooks aren't in order and couldn't be repaired: ${what}. ${sentence(message)}`,
				remedy: `${description ?? ''} The trigger tries again at the next check.`.trim(),
			};
		}
		return {
			subject: 'webhooks',
			key: `repaired: ${key}`,
			message: `the webhooks were repaired: ${what}.`,
			remedy:
				'Earlier events might be lost. To see the deliveries, use Webhook > Check Health of the Virtual PBX node.',
		};
	},

	/** A changed password changes the secret: webhooks carry the old one until the new one is registered. */
	async isOutdated(context, desired) {
		const { secret } = await makeTag(context, desired);
		const { tag } = desired.seen;
		const isOld = tag !== undefined && tag.secret !== secret;
		return isOld || webhookSecretsOf(context).isDoubted;
	},
};

const methods = createWebhookMethods(webhookResource);

/** Implements n8n's `checkExists`. With Sample Events, a test gets samples, and nothing is registered. */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	const isUpToDate = await methods.checkExists(context);
	if (isUpToDate && isSampling(context)) sendSamples(context);
	return isUpToDate;
}

export const { create, delete: remove } = methods;
