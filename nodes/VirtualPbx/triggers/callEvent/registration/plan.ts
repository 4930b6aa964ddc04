import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Mark } from '../../../events/secret';
import { nameOfHook } from '../../../events/table';
import type { PbxHook } from '../../../events/table';
import { createdId, WEBHOOK } from '../../../transport/documents';
import type { Pbx } from '../../../transport/pbx';
import type { DesiredWebhooks } from './desired';
import { makeMark, newWebhook } from './desired';
import { observe } from './observed';
import type { ObservedWebhook } from './observed';

/** What leads from what stands at the PBX to what is desired. */
export interface Plan {
	create: Array<DesiredWebhooks['hooks'][number]>;
	/** Doubles, unhealthy ones and those of events that are not chosen. */
	remove: ObservedWebhook[];
	/** What is wrong, event by event, as the middle of a sentence; empty where nothing is to be done. */
	differences: string[];
}

/** Compares: one healthy webhook for each hook, that is, enabled and with our mark. What else someone edits stays. */
function makePlan(
	desired: Pick<DesiredWebhooks, 'hooks'> & MarkRules,
	observed: readonly ObservedWebhook[],
	mark: Mark,
): Plan {
	const isHealthy = (webhook: ObservedWebhook) =>
		webhook.isHere && !webhook.isDisabled && carriesMark(webhook, desired, mark);
	const { hooks } = desired;
	const keep = hooks.flatMap(({ hook }) => {
		const healthy = observed.find((webhook) => webhook.hook === hook && isHealthy(webhook));
		return healthy ? [healthy] : [];
	});
	const create = hooks.filter(({ hook }) => !keep.some((webhook) => webhook.hook === hook));
	const remove = observed.filter((webhook) => !keep.includes(webhook));
	const missing = create.filter(({ hook }) => !observed.some((webhook) => webhook.hook === hook));
	const differences = [
		...remove.map((webhook) => whatIsWrong(webhook, keep, create)),
		...missing.map(({ hook }) => `${eventOf(hook)} was not registered`),
	];
	return { create, remove, differences: [...new Set(differences)] };
}

/** What decides about a webhook of which the PBX shows no mark. */
type MarkRules = Pick<DesiredWebhooks, 'mayBeUnmarked' | 'showsMarks' | 'mark'>;

/** Where the PBX hides custom data, a webhook carries the mark that it was registered with. */
function carriesMark(webhook: ObservedWebhook, rules: MarkRules, mark: Mark): boolean {
	if (webhook.mark) return isSameMark(webhook.mark, mark);
	if (rules.mayBeUnmarked) return true;
	if (!webhook.hidesCustomData || rules.showsMarks) return false;
	return rules.mark === undefined || isSameMark(rules.mark, mark);
}

function isSameMark(given: Mark, wanted: Mark): boolean {
	return given.secret === wanted.secret && given.settings === wanted.settings;
}

function whatIsWrong(
	{ hook, isHere, isDisabled, disableReason }: ObservedWebhook,
	keep: readonly ObservedWebhook[],
	create: Plan['create'],
): string {
	const event = eventOf(hook);
	if (!isHere) return `${event} of an old test was registered`;
	if (isDisabled) return `${event} was disabled${disableReason ? ` (${disableReason})` : ''}`;
	if (keep.some((webhook) => webhook.hook === hook)) return `${event} was registered twice`;
	const isChanged = create.some((wanted) => wanted.hook === hook);
	return isChanged ? `${event} was changed` : `${event} was also registered`;
}

/** The name of a hook's event, as the editor shows it. */
export function eventOf(hook: PbxHook | undefined): string {
	return nameOfHook(hook) ?? 'an unknown event';
}

/** What stands at the PBX beside what is desired. */
export interface Comparison {
	context: IHookFunctions | ITriggerFunctions;
	pbx: Pbx;
	desired: DesiredWebhooks;
	/** What the webhooks should carry now. */
	mark: Mark;
	observed: ObservedWebhook[];
	plan: Plan;
}

/**
 * Compares what stands at the PBX with what is desired; where nothing differs, notes in `desired` what the webhooks carry. The
 * mark follows from the credential, so a changed password renews it. Throws where the credential or the PBX cannot be read.
 */
export async function compare(
	context: Comparison['context'],
	pbx: Pbx,
	desired: DesiredWebhooks,
): Promise<Comparison> {
	const mark = await makeMark(context, desired);
	const observed = await observe(context, pbx, desired);
	const plan = makePlan(desired, observed, mark);
	if (plan.differences.length === 0) desired.mark = mark;
	return { context, pbx, desired, mark, observed, plan };
}

/**
 * Carries a plan out (§4.4): new webhooks first, so that no event falls between, then away with the rest. Throws a NodeApiError
 * when the PBX refuses, and a NodeOperationError when it does not keep a webhook; what was made healthy stays.
 */
export async function apply({ context, pbx, desired, mark, plan }: Comparison): Promise<void> {
	const { showsMarks } = desired;
	const made: string[] = [];
	for (const wanted of plan.create) {
		const id = createdId(await put(pbx, newWebhook(desired, mark, wanted)));
		if (id !== undefined) made.push(id);
	}
	await removeAll(pbx, plan.remove);

	desired.mark = mark;
	const after = await compare(context, pbx, desired);
	const { create, remove } = after.plan;
	const [lost] = create;
	if (!lost) return;
	// A webhook without a mark seemed to be ours before the PBX had shown that it keeps marks.
	const isUnmarked = remove.some((webhook) => webhook.mark === undefined);
	if (isUnmarked && desired.showsMarks !== showsMarks) return await apply(after);
	const isKept = (id: string) =>
		after.observed.some((webhook) => webhook.id === id && !remove.includes(webhook));
	await removeAll(
		pbx,
		made.filter((id) => !isKept(id)).map((id) => ({ id })),
	);
	throw notKept(pbx, lost, after.observed);
}

/** Once it is sent, it is waited for, or nobody would know whether the PBX has made the webhook. */
async function put(pbx: Pbx, data: IDataObject): Promise<unknown> {
	const evenWhenCancelled = !pbx.signal.aborted;
	return await pbx.send({ method: 'PUT', path: [WEBHOOK.path], data, evenWhenCancelled });
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
		description:
			found && !found.isDisabled
				? 'Turn off Verify Deliveries in Options, or ask your PBX provider about the custom data of webhooks.'
				: 'Ask your PBX provider about webhooks of this account.',
	});
}
