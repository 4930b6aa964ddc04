import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { sentence, toNodeError } from '../../parameters/nodeError';
import type { Pbx } from '../../pbx/client';
import { messageOf } from '../../pbx/errors/meanings';
import { isTransient } from '../../pbx/errors/pbxError';
import { FAILURE_AGE_MS, summarize } from '../../pbx/webhooks/health';
import type { Webhook } from '../../pbx/webhooks/webhooks';
import { unlessAborted } from '../../util/limits';
import type { ManagedResource, OpenNode } from '../runtime/managed';
import { createWebhookMethods } from '../runtime/managed';
import type { HealthReporter, Problem } from '../runtime/nodeRuntime';
import { sendSample } from '../runtime/requests';
import {
	assertHasCredential,
	assertNotReserved,
	isSampling,
	readSettings,
	wantsSamples,
} from './parameters';
import type { Plan, WebhookSetup } from './webhooks';
import {
	apply,
	currentSecret,
	eventOf,
	findOwn,
	hookOf,
	planFor,
	readSetup,
	removeAll,
	tagFor,
} from './webhooks';

/** Attempts are only diagnostic. */
const ATTEMPTS_MS = 5_000;

/** Reports how the PBX's deliveries went (§4.4). */
async function reportDeliveries(
	pbx: Pbx,
	webhooks: readonly Webhook[],
	reporter: HealthReporter,
): Promise<void> {
	const deadline = AbortSignal.timeout(ATTEMPTS_MS);
	const reading = webhooks.map(async (webhook) => {
		const log = unlessAborted(deadline, async () => await pbx.webhooks.log(webhook.id));
		const entries = await log.then(
			(read) => pbx.withoutSecrets(read.entries),
			() => [],
		);
		const { isFailing, isDelivering, lastFailure } = summarize(entries);
		const hook = hookOf(webhook);
		const event = eventOf(hook);
		const subject = `deliveries of ${hook}`;
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
export const webhookResource: ManagedResource<WebhookSetup> = {
	title: 'Virtual PBX Trigger',
	leftovers:
		'webhooks of this trigger might still be registered at the PBX. Publish and unpublish the workflow again to remove them, or use Webhook > Delete Leftovers in a Virtual PBX node.',

	async readSetup(context, isTest) {
		if (isTest && wantsSamples(context)) return undefined;
		return readSetup(context, readSettings(context), isTest);
	},

	assertReady(context) {
		if (!isSampling(context)) assertHasCredential(context);
		assertNotReserved(context, readSettings(context));
	},

	async check(node, reporter) {
		const { context, pbx, setup } = node;
		// The first request logs in, which makes the secret.
		const webhooks = await findOwn(node);
		const tag = await tagFor(node);
		if (reporter) await reportDeliveries(pbx, webhooks, reporter);
		const plan = planFor(setup, tag, webhooks);
		const failure: unknown =
			plan &&
			(await apply(node, tag, plan).then(
				() => undefined,
				(error: unknown) => error,
			));
		if (failure === undefined) setup.secret = tag.secret;
		else if (!reporter || pbx.signal.aborted || isTransient(failure)) throw failure;
		if (pbx.signal.aborted) return;
		if (plan) reporter?.report(repairProblem(context, plan, failure));
		else reporter?.resolve('webhooks', 'the webhooks are in order again.');
	},

	async remove(node) {
		await removeAll(node.pbx, await findOwn(node, true));
	},

	/** An edited credential can change the secret: the webhooks carry the old one until the new one is registered. */
	async isOutdated(context, { secret }) {
		return secret !== undefined && secret !== (await currentSecret(context));
	},
};

/** Returns what to report of a repair, which failed if there is a failure. */
function repairProblem(
	context: OpenNode<WebhookSetup>['context'],
	{ differences }: Plan,
	failure: unknown,
): Problem {
	const what = differences.join(', ');
	// The PBX's reasons can differ each time.
	const key = differences.map((one) => one.replace(/ \(.*\)$/s, '')).join();
	if (failure === undefined)
		return {
			subject: 'webhooks',
			key: `repaired: ${key}`,
			message: `the webhooks were repaired: ${what}.`,
			remedy:
				'Earlier events might be lost. To see the deliveries, use Webhook > Check Health of the Virtual PBX node.',
		};
	const { message, description } = toNodeError(context, failure);
	return {
		subject: 'webhooks',
		key: `broken: ${key}`,
		message: `the webhooks aren't in order and couldn't be repaired: ${what}. ${sentence(message)}`,
		remedy: `${description ?? ''} The trigger tries again at the next check.`.trim(),
	};
}

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

/** Implements n8n's `create`. With Sample Events, a test gets samples, and nothing is registered. */
export async function create(context: IHookFunctions): Promise<boolean> {
	await methods.create(context);
	if (isSampling(context)) sendSamples(context);
	return true;
}

export const remove = methods.delete;
