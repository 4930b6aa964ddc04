import { toNodeError } from '../../../parameters/nodeError';
import type { Pbx } from '../../../pbx/client';
import type { PbxHook } from '../../../pbx/events/table';
import { unlessAborted } from '../../../pbx/http/timeouts';
import type { AttemptsSummary } from '../../../pbx/webhooks/attempts';
import { FAILURE_AGE_MS, summarize } from '../../../pbx/webhooks/attempts';
import { tryReadAttempts } from '../../../pbx/webhooks/list';
import { acceptedAt } from '../../runtime/accepted';
import type { CheckContext } from '../../runtime/lifecycle';
import { isTransientError, sentence } from '../../runtime/publication';
import { stateOf } from '../triggerState';
import type { DesiredWebhooks } from './desired';
import type { ObservedWebhook } from './observed';
import type { Comparison } from './plan';
import { apply, compare, eventOf } from './plan';

/** Repairs what stands at the PBX, and reports what was wrong, including with deliveries (§4.4). Throws where it cannot ask. */
export async function checkWebhooks(
	pbx: Pbx,
	desired: DesiredWebhooks,
	check: CheckContext,
): Promise<void> {
	const { context, reporter, isFirst } = check;
	const { secrets } = stateOf(context);
	const comparison = await compareWithDoubt(pbx, desired, check);
	const { plan } = comparison;
	if (plan.differences.length === 0) {
		secrets.settle();
		reporter.resolve('webhooks', 'the webhooks are in order again.');
		return;
	}
	const what = plan.differences.join(', ');
	// The reasons that a PBX gives may differ each time.
	const key = plan.differences.map((one) => one.replace(/ \(.*\)$/s, '')).join();
	const failure = await apply(comparison).then(
		() => undefined,
		(error: unknown) => error,
	);
	if (pbx.signal.aborted) return;
	// After n8n's start the next tick tries again.
	if (failure && isFirst && isTransientError(failure)) throw failure;
	if (!failure) {
		secrets.settle();
		reporter.report({
			subject: 'webhooks',
			key: `repaired: ${key}`,
			message: `the webhooks were repaired: ${what}.`,
			remedy:
				'Earlier events may be lost. To see the deliveries, use Webhook > Check Health of the Virtual PBX node.',
		});
		return;
	}
	const { message, description } = toNodeError(context, failure);
	reporter.report({
		subject: 'webhooks',
		key: `broken: ${key}`,
		message: `the webhooks are not in order and could not be repaired: ${what}. ${sentence(message)}`,
		remedy: `${description ?? ''} The trigger tries again at the next check.`.trim(),
	});
}

/**
 * Compares, and reports how deliveries went, including those of webhooks that are about to be replaced. Where the PBX does not
 * show what the webhooks carry, they are taken for right unless this process, or the PBX's log, has seen one refused.
 */
async function compareWithDoubt(
	pbx: Pbx,
	desired: DesiredWebhooks,
	{ context, reporter }: CheckContext,
): Promise<Comparison> {
	const { secrets } = stateOf(context);
	const comparison = async () => {
		if (secrets.isDoubted) desired.mark = undefined;
		return await compare(context, pbx, desired, secrets.mayBeAssumed);
	};
	const first = await comparison();
	const refused = await reportDeliveries(pbx, desired, first.observed, reporter);
	const isNews =
		!desired.mayBeUnmarked && refused.some(({ mark }) => !mark) && secrets.raiseDoubt();
	return isNews ? await comparison() : first;
}

/** Returns the webhooks whose latest delivery was refused for its secret. */
async function reportDeliveries(
	pbx: Pbx,
	{ uri }: DesiredWebhooks,
	webhooks: readonly ObservedWebhook[],
	reporter: CheckContext['reporter'],
): Promise<ObservedWebhook[]> {
	const deadline = AbortSignal.timeout(ATTEMPTS_MS);
	const reading = webhooks.map(async ({ id }) => {
		const log = unlessAborted(deadline, async () => await tryReadAttempts(pbx, id, {}));
		return await log.catch(() => undefined);
	});
	const logs = await Promise.all(reading);
	return webhooks.filter(({ hook, isDisabled }, index) => {
		const attempts = pbx.withoutSecrets(logs[index]?.entries ?? []);
		const summary = summarize(attempts, acceptedAt(uri, hook));
		reportHook(hook, summary, { isDisabled, reporter });
		return summary.isFailing && summary.lastFailure?.status === 401;
	});
}

function reportHook(
	hook: PbxHook | undefined,
	{ isFailing, isDelivering, lastFailure }: AttemptsSummary,
	{ isDisabled, reporter }: { isDisabled: boolean; reporter: CheckContext['reporter'] },
): void {
	const subject = `deliveries of ${hook}`;
	const event = eventOf(hook);
	if (lastFailure && (isFailing || isDisabled)) {
		const { reason, status, at } = lastFailure;
		const remedy = 'Check the webhook URL of n8n, Delivery URL, and the proxy in front of n8n.';
		reporter.report({
			subject,
			key: reason,
			at,
			message: `the PBX could not deliver an event of ${event}: ${reason}.`,
			// The reason of a refused secret says what to do.
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

/** The log only explains, so nobody waits long for it. */
const ATTEMPTS_MS = 5_000;
