import type { Pbx } from '../../../transport/pbx';
import { unlessAborted } from '../../../values/timeouts';
import { summarize } from '../../../webhooks/attempts';
import { tryReadAttempts } from '../../../webhooks/list';
import type { CheckContext } from '../../lifecycle';
import { isTransientError, sentence } from '../../publication';
import type { DesiredWebhooks } from './desired';
import type { ObservedWebhook } from './observed';
import { apply, compare, eventOf } from './plan';

/** Makes right what stands at the PBX, and reports what was wrong, also with deliveries (§4.4). Throws where it cannot ask. */
export async function checkWebhooks(
	pbx: Pbx,
	desired: DesiredWebhooks,
	{ context, reporter, isFirst }: CheckContext,
): Promise<void> {
	const comparison = await compare(context, pbx, desired);
	const { observed, plan } = comparison;
	await reportDeliveries(pbx, observed, reporter);
	if (plan.differences.length === 0) {
		reporter.resolve('webhooks', 'the webhooks are in order again.');
		return;
	}
	const what = plan.differences.join(', ');
	// The reasons that a PBX gives may differ each time.
	const key = plan.differences.map((one) => one.replace(/ \(.*\)$/s, '')).join();
	const failure = await apply(comparison).then(
		() => undefined,
		(error: Error & { description?: string }) => error,
	);
	if (pbx.signal.aborted) return;
	// After n8n's start the next tick tries again.
	if (failure && isFirst && isTransientError(failure)) throw failure;
	if (!failure) {
		reporter.report({
			subject: 'webhooks',
			key: `repaired: ${key}`,
			message: `the webhooks were repaired: ${what}.`,
			remedy:
				'Earlier events may be lost. To see the deliveries, use Webhook > Check Health of the Virtual PBX node.',
		});
		return;
	}
	reporter.report({
		subject: 'webhooks',
		key: `broken: ${key}`,
		message: `the webhooks are not in order and could not be repaired: ${what}. ${sentence(failure.message)}`,
		remedy: `${failure.description ?? ''} The trigger tries again at the next check.`.trim(),
	});
}

/** Also of webhooks that are about to be replaced, since it tells why the PBX has disabled one. */
async function reportDeliveries(
	pbx: Pbx,
	webhooks: readonly ObservedWebhook[],
	reporter: CheckContext['reporter'],
): Promise<void> {
	const deadline = AbortSignal.timeout(ATTEMPTS_MS);
	const reading = webhooks.map(async ({ id }) => {
		const log = unlessAborted(deadline, async () => await tryReadAttempts(pbx, id, {}));
		return await log.catch(() => undefined);
	});
	const logs = await Promise.all(reading);
	for (const [index, { hook, isDisabled }] of webhooks.entries()) {
		const subject = `deliveries of ${hook}`;
		const attempts = logs[index]?.entries ?? [];
		const { isFailing, lastFailure, lastSuccess } = summarize(pbx.withoutSecrets(attempts));
		const event = eventOf(hook);
		if (lastFailure && (isFailing || isDisabled)) {
			const { reason, status } = lastFailure;
			const remedy = 'Check the webhook URL of n8n, Delivery URL, and the proxy in front of n8n.';
			reporter.report({
				subject,
				key: reason,
				message: `the PBX could not deliver an event of ${event}: ${reason}.`,
				// The reason of a refused secret says what to do.
				remedy: status === 401 ? undefined : remedy,
			});
		} else if (lastSuccess) {
			reporter.resolve(subject, `the PBX delivers the events of ${event} again.`);
		}
	}
}

/** The log only explains, so nobody waits long for it. */
const ATTEMPTS_MS = 5_000;
