import { WEBHOOK } from '../../../transport/documents';
import { readList } from '../../../transport/list';
import type { Pbx } from '../../../transport/pbx';
import { unlessAborted } from '../../../values/timeouts';
import { summarize } from '../../../webhooks/attempts';
import type { Tick } from '../../lifecycle';
import { sentence } from '../../publication';
import type { DesiredWebhooks } from './desired';
import { begin } from './desired';
import { observe } from './observed';
import type { ObservedWebhook } from './observed';
import { apply, eventOf, makePlan } from './plan';

/** Makes right what stands at the PBX, and reports what was wrong, also with deliveries (§4.4). Throws where it cannot ask. */
export async function checkWebhooks(
	pbx: Pbx,
	desired: DesiredWebhooks,
	{ context, reporter }: Tick,
): Promise<void> {
	const comparison = await begin(context, pbx, desired);
	const observed = await observe(comparison);
	const plan = makePlan(desired, observed, comparison.mark);
	await reportDeliveries(pbx, observed, reporter);
	if (plan.differences.length === 0) {
		desired.mark = comparison.mark;
		reporter.resolve('webhooks', 'the webhooks are in order again.');
		return;
	}
	const what = plan.differences.join(', ');
	// The reasons that a PBX gives may differ each time.
	const key = plan.differences.map((one) => one.replace(/ \(.*\)$/s, '')).join();
	const failure = await apply(comparison, plan).then(
		() => undefined,
		(error: Error & { description?: string }) => error,
	);
	if (pbx.signal.aborted) return;
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
	reporter: Tick['reporter'],
): Promise<void> {
	for (const { id, hook, isDisabled } of webhooks) {
		const subject = `deliveries of ${hook}`;
		const log = { path: [WEBHOOK.path, id, 'attempts'] };
		const attempts = await unlessAborted(
			AbortSignal.timeout(ATTEMPTS_MS),
			async () => await readList(pbx, log),
		).catch(() => []);
		const { isFailing, lastFailure, lastSuccess } = summarize(pbx.withoutSecrets(attempts));
		const event = eventOf(hook);
		if (lastFailure && (isFailing || isDisabled)) {
			const { reason } = lastFailure;
			reporter.report({
				subject,
				key: reason,
				message: `the PBX could not deliver an event of ${event}: ${reason}.`,
				remedy: 'Check the webhook URL of n8n, Delivery URL, and the proxy in front of n8n.',
			});
		} else if (lastSuccess) {
			reporter.resolve(subject, `the PBX delivers the events of ${event} again.`);
		}
	}
}

/** The log only explains, so nobody waits long for it. */
const ATTEMPTS_MS = 5_000;
