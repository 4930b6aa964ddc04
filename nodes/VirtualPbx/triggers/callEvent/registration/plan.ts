import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { Pbx } from '../../../pbx/client';
import { createdId, WEBHOOK } from '../../../pbx/documents';
import { PbxError } from '../../../pbx/errors/pbxError';
import type { Tag } from '../../../pbx/events/webhookTag';
import { nameOfHook } from '../../../pbx/events/table';
import type { PbxHook } from '../../../pbx/events/table';
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

/**
 * Compares: one healthy webhook for each hook, that is, enabled, with our mark, and set so that events reach the trigger. What
 * else someone edits stays.
 */
function makePlan({ desired, observed, mark, mayAssume }: Omit<Comparison, 'plan'>): Plan {
	const rules = { ...desired, mayAssume };
	const hasOldSecret = ({ mark: shown, hidesCustomData }: ObservedWebhook) =>
		shown ? shown.secret !== mark.secret : hidesCustomData && !desired.showsMarks;
	const isHealthy = (webhook: ObservedWebhook) =>
		webhook.isHere &&
		!webhook.isDisabled &&
		webhook.deafness === undefined &&
		carriesMark(webhook, rules, mark);
	const { hooks } = desired;
	const keep = hooks.flatMap(({ hook }) => {
		const healthy = observed.find((webhook) => webhook.hook === hook && isHealthy(webhook));
		return healthy ? [healthy] : [];
	});
	const create = hooks.filter(({ hook }) => !keep.some((webhook) => webhook.hook === hook));
	const remove = observed.filter((webhook) => !keep.includes(webhook));
	const missing = create.filter(({ hook }) => !observed.some((webhook) => webhook.hook === hook));
	const differences = [
		...remove.map((webhook) => whatIsWrong(webhook, { keep, create }, hasOldSecret(webhook))),
		...missing.map(({ hook }) => `${eventOf(hook)} was not registered`),
	];
	return { create, remove, differences: [...new Set(differences)] };
}

/** What decides about a webhook of which the PBX shows no mark. */
type MarkRules = Pick<DesiredWebhooks, 'mayBeUnmarked' | 'showsMarks' | 'mark'> &
	Pick<Comparison, 'mayAssume'>;

/** Where the PBX hides custom data, a webhook carries the mark that it was registered with. */
function carriesMark(webhook: ObservedWebhook, rules: MarkRules, mark: Tag): boolean {
	if (webhook.mark) return isSameMark(webhook.mark, mark);
	if (rules.mayBeUnmarked) return true;
	if (!webhook.hidesCustomData || rules.showsMarks) return false;
	return rules.mark === undefined ? rules.mayAssume : isSameMark(rules.mark, mark);
}

function isSameMark(given: Tag, wanted: Tag): boolean {
	return given.secret === wanted.secret && given.settings === wanted.settings;
}

function whatIsWrong(
	{ hook, isHere, isDisabled, disableReason, deafness }: ObservedWebhook,
	{ keep, create }: Pick<Plan, 'create'> & { keep: readonly ObservedWebhook[] },
	hasOldSecret: boolean,
): string {
	const event = eventOf(hook);
	if (!isHere) return `${event} of an old test was registered`;
	if (isDisabled) return `${event} was disabled${disableReason ? ` (${disableReason})` : ''}`;
	if (keep.some((kept) => kept.hook === hook)) return `${event} was registered twice`;
	if (deafness !== undefined) return `${event} ${deafness}`;
	if (!create.some((wanted) => wanted.hook === hook)) return `${event} was also registered`;
	return hasOldSecret ? `${event} had an old secret` : `${event} was changed`;
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
	mark: Tag;
	/** Whether webhooks that show no mark may be taken for what this process wants, although it has not registered them. */
	mayAssume: boolean;
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
	mayAssume = false,
): Promise<Comparison> {
	const mark = await makeMark(context, desired);
	const observed = await observe(context, pbx, desired);
	const read = { context, pbx, desired, mark, mayAssume, observed };
	const plan = makePlan(read);
	if (plan.differences.length === 0) desired.mark = mark;
	return { ...read, plan };
}

/**
 * Carries a plan out (§4.4): new webhooks first, so that no event falls between, then away with the rest. Throws PbxError
 * when the PBX refuses, or does not keep a webhook; what was made healthy stays.
 */
export async function apply({ context, pbx, desired, mark, plan }: Comparison): Promise<void> {
	const { showsMarks } = desired;
	const made: string[] = [];
	for (const wanted of plan.create) {
		const id = createdId(await put(pbx, newWebhook(desired, mark, wanted)));
		if (id !== undefined) made.push(id);
	}
	await removeAll(pbx, plan.remove);

	// Another PBX, or another version of it, may show less than before.
	Object.assign(desired, { mark, showsMarks: false });
	const after = await compare(context, pbx, desired);
	const { create, remove } = after.plan;
	const [lost] = create;
	if (!lost) return;
	if (!desired.showsNoRetries && plan.create.length > 0 && remove.some(isUntried)) {
		desired.showsNoRetries = true;
		return await apply(await compare(context, pbx, desired));
	}
	// A webhook without a mark seemed to be ours before the PBX had shown that it keeps marks.
	const isUnmarked = remove.some((webhook) => webhook.mark === undefined);
	if (isUnmarked && desired.showsMarks !== showsMarks) return await apply(after);
	const isKept = (id: string) =>
		after.observed.some((webhook) => webhook.id === id && !remove.includes(webhook));
	await removeAll(
		pbx,
		made.filter((id) => !isKept(id)).map((id) => ({ id })),
	);
	throw notKept(lost, after.observed);
}

function isUntried({ makesNoAttempt, isHere }: ObservedWebhook): boolean {
	return makesNoAttempt && isHere;
}

/** Once it is sent, it is waited for, or nobody would know whether the PBX has made the webhook. */
async function put(pbx: Pbx, data: IDataObject): Promise<unknown> {
	const evenWhenCancelled = !pbx.signal.aborted;
	return await pbx.send({ method: 'PUT', path: [WEBHOOK.path], data, evenWhenCancelled });
}

/** Removes webhooks (DELETE `webhooks/{id}`, §4.4), also gone ones; throws PbxError after having tried them all. */
export async function removeAll(
	pbx: Pbx,
	webhooks: ReadonlyArray<Pick<ObservedWebhook, 'id'>>,
): Promise<void> {
	let failed: unknown;
	for (const { id } of webhooks) {
		await pbx.send({ method: 'DELETE', path: [WEBHOOK.path, id] }).catch((error: unknown) => {
			if (!(error instanceof PbxError) || error.status !== 404) failed = error;
		});
	}
	if (failed !== undefined) throw failed;
}

function notKept(
	{ hook, name }: DesiredWebhooks['hooks'][number],
	after: readonly ObservedWebhook[],
): PbxError {
	const found = after.find((webhook) => webhook.hook === hook);
	const reason = found?.disableReason ? ` (${found.disableReason})` : '';
	const fault = !found
		? `The PBX accepted the webhook "${name}", but does not list it at this address`
		: found.isDisabled
			? `The PBX has disabled the webhook "${name}"${reason}`
			: found.deafness !== undefined
				? `The webhook "${name}" ${found.deafness} by the PBX`
				: `The PBX does not keep the custom data of the webhook "${name}" for ${eventOf(hook)}`;
	return new PbxError({
		kind: 'unexpected',
		reason: fault,
		hint:
			found && !found.isDisabled && found.deafness === undefined
				? 'Turn off Verify Deliveries in Options, or ask your PBX provider about the custom data of webhooks.'
				: 'Ask your PBX provider about webhooks of this account.',
	});
}
