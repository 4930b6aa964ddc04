import type { ITriggerFunctions } from 'n8n-workflow';

import type { Pbx } from '../../../pbx/client';
import type { PbxHook } from '../../../pbx/events/table';
import { unlessAborted } from '../../../pbx/timeouts';
import type { AttemptsSummary } from '../../../pbx/webhooks/attempts';
import { FAILURE_AGE_MS, summarize } from '../../../pbx/webhooks/attempts';
import { BoundedMap } from '../../../util/boundedMap';
import type { HealthReporter } from '../../runtime/healthReporter';
import { memoriesOf, runtimeOf } from '../../runtime/nodeRuntime';
import { eventOf } from './plan';
import type { DesiredWebhooks, ObservedWebhook } from './webhooks';

/** Short timeout: attempts are only diagnostic. */
const ATTEMPTS_MS = 5_000;

/** Reports how deliveries went (§4.4), and returns the webhooks whose latest delivery was rejected for its secret. */
export async function reportDeliveries(
	pbx: Pbx,
	{ uri }: DesiredWebhooks,
	webhooks: readonly ObservedWebhook[],
	reporter: HealthReporter,
): Promise<ObservedWebhook[]> {
	const deadline = AbortSignal.timeout(ATTEMPTS_MS);
	const reading = webhooks.map(async ({ webhook }) => {
		const log = unlessAborted(deadline, async () => await pbx.webhooks.log(webhook.id));
		return await log.catch(() => undefined);
	});
	const logs = await Promise.all(reading);
	return webhooks.filter(({ hook, webhook: { isDisabled } }, index) => {
		const attempts = pbx.withoutSecrets(logs[index]?.entries ?? []);
		const summary = summarize(attempts, acceptedAt(uri, hook));
		reportHook(hook, summary, { isDisabled, reporter });
		return summary.isFailing && summary.lastFailure?.status === 401;
	});
}

function reportHook(
	hook: PbxHook | undefined,
	{ isFailing, isDelivering, lastFailure }: AttemptsSummary,
	{ isDisabled, reporter }: { isDisabled: boolean; reporter: HealthReporter },
): void {
	const subject = `deliveries of ${hook}`;
	const event = eventOf(hook);
	if (lastFailure && (isFailing || isDisabled)) {
		const { reason, status, at } = lastFailure;
		const remedy = "Check n8n's webhook URL, 'Delivery URL', and the proxy in front of n8n.";
		reporter.report({
			subject,
			key: reason,
			at,
			message: `the PBX couldn't deliver an event of ${event}: ${reason}.`,
			// The reason for a rejected secret already says what to do.
			remedy: status === 401 ? undefined : remedy,
		});
	} else if (isDelivering) {
		reporter.resolve(subject, `the PBX delivers the events of ${event} again.`);
	} else {
		const hours = FAILURE_AGE_MS / 3_600_000;
		const message = `no delivery of ${event} has failed for ${hours} hours.`;
		reporter.resolveAged(subject, FAILURE_AGE_MS, message);
	}
}

/** A node has one webhook per hook, and few addresses in its lifetime. */
const MAX_WEBHOOKS = 20;

/**
 * When n8n last accepted a delivery, in Unix milliseconds, by hook and address. Only the process that accepted it
 * knows. Platforms that log only failures show no success at all.
 */
class AcceptedDeliveries extends BoundedMap<string, number> {
	constructor() {
		super(MAX_WEBHOOKS);
	}
}

/** Records that n8n accepted a delivery. */
export function recordAccepted(
	context: Pick<ITriggerFunctions, 'getNode' | 'getWorkflow'>,
	uri: string,
	hook: PbxHook,
): void {
	runtimeOf(context).memory(AcceptedDeliveries).set(keyOf(uri, hook), Date.now());
}

/** Returns when this process last accepted a webhook's delivery, in Unix milliseconds. */
export function acceptedAt(uri: string, hook: PbxHook | undefined): number | undefined {
	if (!hook) return undefined;
	const times = memoriesOf(AcceptedDeliveries).map((accepted) => accepted.get(keyOf(uri, hook)));
	return times.filter((at) => at !== undefined).sort((one, other) => other - one)[0];
}

function keyOf(uri: string, hook: PbxHook): string {
	return `${hook} ${URL.canParse(uri) ? new URL(uri).href : uri}`;
}
