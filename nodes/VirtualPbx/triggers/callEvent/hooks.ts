import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { toNodeError } from '../../parameters/nodeError';
import { messageOf } from '../../pbx/errors/meanings';
import { FAILURE_AGE_MS, summarize } from '../../pbx/webhooks/health';
import { unlessAborted } from '../../util/limits';
import type { HealthReporter } from '../runtime/healthReporter';
import type { ManagedResource, Work } from '../runtime/managed';
import { createWebhookMethods, sentence } from '../runtime/managed';
import { sendSample } from '../runtime/requests';
import {
	assertHasCredential,
	assertNotReserved,
	isSampling,
	readSettings,
	wantsSamples,
} from './parameters';
import type { DesiredWebhooks, ObservedWebhooks, Plan } from './webhooks';
import { apply, currentSecret, diff, eventOf, observe, readDesired } from './webhooks';

/** Attempts are only diagnostic. */
const ATTEMPTS_MS = 5_000;

/** Reports how the PBX's deliveries went (§4.4). */
async function reportDeliveries(
	{ pbx }: Work<DesiredWebhooks>,
	{ webhooks }: ObservedWebhooks,
	reporter: HealthReporter,
): Promise<void> {
	const deadline = AbortSignal.timeout(ATTEMPTS_MS);
	const reading = webhooks.map(async ({ webhook, hook }) => {
		const log = unlessAborted(deadline, async () => await pbx.webhooks.log(webhook.id));
		const entries = await log.then(
			(read) => pbx.withoutSecrets(read.entries),
			() => [],
		);
		const { isFailing, isDelivering, lastFailure } = summarize(entries);
		const subject = `deliveries of ${hook}`;
		const event = eventOf(hook);
		if (lastFailure && (isFailing || webhook.isDisabled)) {
			const { reason, status, at } = lastFailure;
			const remedy = "Check n8n's webhook URL, 'Delivery URL', and the proxy in front of n8n.";
			const message = `the PBX couldn't deliver an event of ${event}: ${reason}.`;
			// The reason for a rejected secret already says what to do.
			reporter.report({
				...{ subject, key: reason, at, message },
				remedy: status === 401 ? undefined : remedy,
			});
		} else if (isDelivering) {
			reporter.resolve(subject, `the PBX delivers the events of ${event} again.`);
		} else {
			const hours = FAILURE_AGE_MS / 3_600_000;
			const message = `no delivery of ${event} has failed for ${hours} hours.`;
			reporter.resolveAged(subject, FAILURE_AGE_MS, message);
		}
	});
	await Promise.all(reading);
}

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
		if (!isSampling(context)) assertHasCredential(context);
		assertNotReserved(context, readSettings(context));
	},

	observe,
	diff,
	apply,

	settled({ desired }, { tag }) {
		desired.secret = tag.secret;
	},

	subject: 'webhooks',
	inOrder: 'the webhooks are in order again.',
	inspect: reportDeliveries,

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

	/** An edited credential can change the secret: the webhooks carry the old one until the new one is registered. */
	async isOutdated(context, { secret }) {
		return secret !== undefined && secret !== (await currentSecret(context));
	},
};

const methods = createWebhookMethods(webhookResource);

/** Time for n8n to start listening for the sample. */
const LEAD_MS = 500;

/**
 * Asks for a sample of every selected event at n8n's test URL, which makes them. Returns before sending, since n8n
 * listens only afterwards. Sends nothing to the PBX.
 */
function sendSamples(context: IHookFunctions): void {
	void deliver(context, context.getNodeWebhookUrl('default') ?? '', {});
}

async function deliver(context: IHookFunctions, url: string, body: object): Promise<void> {
	try {
		await sleep(LEAD_MS);
		await sendSample(context.helpers.httpRequest, url, body);
	} catch (error) {
		const message = `Virtual PBX Trigger: the sample couldn't be sent to ${url}. ${messageOf(error)}`;
		context.logger.error(message);
	}
}

/** Implements n8n's `checkExists`. With Sample Events, a test gets samples, and nothing is registered. */
export async function checkExists(context: IHookFunctions): Promise<boolean> {
	const isUpToDate = await methods.checkExists(context);
	if (isUpToDate && isSampling(context)) sendSamples(context);
	return isUpToDate;
}

export const { create, delete: remove } = methods;
