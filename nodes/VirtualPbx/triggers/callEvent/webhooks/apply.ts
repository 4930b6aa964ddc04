import { NodeOperationError } from 'n8n-workflow';

import { createdId, WEBHOOK } from '../../../transport/documents';
import type { Pbx } from '../../../transport/pbx';
import type { Comparison, DesiredWebhooks } from './desired';
import { newWebhook } from './desired';
import { noteMarks, observe } from './observed';
import type { ObservedWebhook } from './observed';
import type { Plan } from './plan';
import { eventOf, makePlan } from './plan';

/**
 * Carries a plan out (§4.4): new webhooks first, so that no event falls between, then away with the rest. Throws a NodeApiError
 * when the PBX refuses, and a NodeOperationError when it does not keep a webhook; what was made healthy stays.
 */
export async function apply(comparison: Comparison, { create, remove }: Plan): Promise<void> {
	const { pbx, desired } = comparison;
	const made: string[] = [];
	for (const wanted of create) {
		const id = createdId(await put(comparison, wanted));
		if (id !== undefined) made.push(id);
	}
	await removeAll(pbx, remove);

	const after = await observe(comparison);
	const isNews = noteMarks(desired, after);
	const left = makePlan(desired, after, comparison.mark);
	const [lost] = left.create;
	if (!lost) return;
	// A webhook without a mark seemed to be ours, since it was not known yet that the PBX shows marks.
	const isUnmarked = left.remove.some(({ mark }) => mark === 'unknown');
	if (isNews && isUnmarked) return await apply(comparison, left);
	const isKept = (id: string) =>
		after.some((webhook) => webhook.id === id && !left.remove.includes(webhook));
	await removeAll(
		pbx,
		made.filter((id) => !isKept(id)).map((id) => ({ id })),
	);
	throw notKept(pbx, lost, after);
}

async function put(
	comparison: Comparison,
	wanted: DesiredWebhooks['hooks'][number],
): Promise<unknown> {
	const { pbx } = comparison;
	return await pbx.send({
		method: 'PUT',
		path: [WEBHOOK.path],
		data: newWebhook(comparison, wanted),
		// Once it is sent, it is waited for, or nobody would know whether the PBX has made the webhook.
		evenWhenCancelled: !pbx.signal?.aborted,
	});
}

/** Removes webhooks (DELETE `webhooks/{id}`, §4.4), also gone ones; throws a NodeApiError after having tried them all. */
export async function removeAll(
	pbx: Pbx,
	webhooks: ReadonlyArray<Pick<ObservedWebhook, 'id'>>,
): Promise<void> {
	let failed: Error | undefined;
	for (const { id } of webhooks) {
		const result = await pbx.trySend({ method: 'DELETE', path: [WEBHOOK.path, id] });
		if (!result.ok && result.failure.status !== 404) failed = result.error;
	}
	if (failed) throw failed;
}

function notKept(
	pbx: Pbx,
	{ hook, name }: DesiredWebhooks['hooks'][number],
	after: readonly ObservedWebhook[],
): NodeOperationError {
	const found = after.find((webhook) => webhook.hook === hook);
	const reason = found?.disableReason ? ` (${found.disableReason})` : '';
	const message = !found
		? `The PBX accepted the webhook "${name}", but does not list it at this address`
		: found.isDisabled
			? `The PBX has disabled the webhook "${name}"${reason}`
			: `The PBX does not keep the custom data of the webhook "${name}" for ${eventOf(hook)}`;
	return new NodeOperationError(pbx.node, message, {
		description: 'Ask your PBX provider about webhooks of this account.',
	});
}
