import type { Pbx } from '../../../pbx/client';
import { adviseOnField, PbxError } from '../../../pbx/errors/pbxError';
import { nameOfHook } from '../../../pbx/events/table';
import type { PbxHook } from '../../../pbx/events/table';
import type { Tag } from '../../../pbx/events/webhookTag';
import type { Work } from '../../runtime/managedResource';
import type { DesiredWebhooks, ObservedWebhook, ObservedWebhooks } from './webhooks';
import { newWebhook, observe } from './webhooks';

/** The changes from the observed to the desired webhooks. */
export interface Plan {
	create: Array<DesiredWebhooks['hooks'][number]>;
	/** Duplicates, unhealthy ones, and those of unselected events. */
	remove: ObservedWebhook[];
	/** Problems event by event, phrased as the middle of a sentence. */
	differences: string[];
	/** The tag of new webhooks. */
	tag: Tag;
}

/**
 * Plans one healthy webhook per hook, that is, enabled, with our tag, and set so that events reach the trigger; none
 * for a removal. Other edits by users stay.
 */
export function diff(
	{ desired, purpose }: Pick<Work<DesiredWebhooks>, 'desired' | 'purpose'>,
	observed: ObservedWebhooks,
): Plan | undefined {
	const { webhooks, tag } = observed;
	const hooks = purpose === 'remove' ? [] : desired.hooks;
	const hasOldSecret = ({ tag: shown, webhook }: ObservedWebhook) =>
		shown ? shown.secret !== tag.secret : webhook.hidesTag && !desired.seen.showsTags;
	const isHealthy = (found: ObservedWebhook) =>
		found.isHere &&
		!found.webhook.isDisabled &&
		found.misconfiguration === undefined &&
		carriesTag(found, desired, observed);
	const keep = hooks.flatMap(
		({ hook }) => webhooks.find((found) => found.hook === hook && isHealthy(found)) ?? [],
	);
	const create = hooks.filter(({ hook }) => !keep.some((webhook) => webhook.hook === hook));
	const remove = webhooks.filter((webhook) => !keep.includes(webhook));
	const missing = create.filter(({ hook }) => !webhooks.some((webhook) => webhook.hook === hook));
	const differences = [
		...remove.map((webhook) => whatIsWrong(webhook, { keep, create }, hasOldSecret(webhook))),
		...missing.map(({ hook }) => `${eventOf(hook)} wasn't registered`),
	];
	if (differences.length === 0) return undefined;
	return { create, remove, differences: [...new Set(differences)], tag };
}

/** If the PBX hides custom data, assumes that a webhook carries the tag it was registered with. */
function carriesTag(
	{ webhook, tag: shown }: ObservedWebhook,
	{ mayBeUntagged, seen }: DesiredWebhooks,
	{ tag, mayAssume }: ObservedWebhooks,
): boolean {
	if (shown) return isSameTag(shown, tag);
	if (mayBeUntagged) return true;
	if (!webhook.hidesTag || seen.showsTags) return false;
	return seen.tag === undefined ? mayAssume : isSameTag(seen.tag, tag);
}

function isSameTag(given: Tag, wanted: Tag): boolean {
	return given.secret === wanted.secret && given.settings === wanted.settings;
}

function whatIsWrong(
	{ webhook, hook, isHere, misconfiguration }: ObservedWebhook,
	{ keep, create }: Pick<Plan, 'create'> & { keep: readonly ObservedWebhook[] },
	hasOldSecret: boolean,
): string {
	const event = eventOf(hook);
	if (!isHere) return `${event} of an old test was registered`;
	if (webhook.isDisabled) return `${event} was disabled${inBrackets(webhook.disableReason)}`;
	if (keep.some((kept) => kept.hook === hook)) return `${event} was registered twice`;
	if (misconfiguration !== undefined) return `${event} ${misconfiguration}`;
	if (!create.some((wanted) => wanted.hook === hook)) return `${event} was also registered`;
	return hasOldSecret ? `${event} had an old secret` : `${event} was changed`;
}

const inBrackets = (reason: string | undefined) => (reason === undefined ? '' : ` (${reason})`);

/** Returns the name of a hook's event, as the editor shows it. */
export function eventOf(hook: PbxHook | undefined): string {
	return nameOfHook(hook) ?? 'an unknown event';
}

/**
 * Applies a plan (§4.4). Creates before deleting, so no event is missed. Throws PbxError if the PBX refuses or doesn't
 * keep a webhook. Webhooks that were repaired stay.
 */
export async function apply(work: Work<DesiredWebhooks>, plan: Plan): Promise<void> {
	const { pbx, desired, purpose } = work;
	const made: string[] = [];
	for (const wanted of plan.create) {
		const id = await pbx.webhooks
			.register(newWebhook(desired, plan.tag, wanted))
			.catch((error: unknown) => {
				throw withRejectedAddress(error, desired.uri);
			});
		if (id !== undefined) made.push(id);
	}
	await removeAll(
		pbx,
		plan.remove.map(({ webhook }) => webhook.id ?? ''),
	);
	if (purpose !== 'remove') await verify({ ...work, purpose: 'publish' }, plan, made);
}

/** Adds a hint to the error for an address that the PBX rejects: n8n made it, so the user can't correct a value. */
function withRejectedAddress(error: unknown, uri: string): unknown {
	return adviseOnField(
		error,
		({ field }) => field === 'uri',
		`The PBX doesn't accept the trigger's address ${uri}. Ask your n8n administrator to set N8N_WEBHOOK_URL to an address that the PBX can reach, or enter one in 'Delivery URL' under 'Options'.`,
	);
}

/**
 * Observes again. Plans again if the PBX now shows more than before, and removes webhooks that it didn't keep as sent.
 */
async function verify(
	work: Work<DesiredWebhooks>,
	plan: Plan,
	made: readonly string[],
): Promise<void> {
	const { seen } = work.desired;
	const { showsTags } = seen;
	// Another PBX, or another version of it, can show less than before.
	Object.assign(seen, { tag: plan.tag, showsTags: false });
	const after = await observe(work);
	const rest = diff(work, after);
	const [lost] = rest?.create ?? [];
	if (!rest || !lost) return;
	if (!seen.showsNoRetries && plan.create.length > 0 && rest.remove.some(isUntried)) {
		seen.showsNoRetries = true;
		const retried = diff(work, await observe(work));
		return retried && (await apply(work, retried));
	}
	// An untagged webhook seemed to be ours before the PBX showed that it keeps tags.
	const isUntagged = rest.remove.some(({ tag }) => tag === undefined);
	if (isUntagged && seen.showsTags !== showsTags) return await apply(work, rest);
	const isKept = (id: string) =>
		after.webhooks.some((found) => found.webhook.id === id && !rest.remove.includes(found));
	await removeAll(
		work.pbx,
		made.filter((id) => !isKept(id)),
	);
	throw notKept(lost, after.webhooks);
}

function isUntried({ webhook, isHere }: ObservedWebhook): boolean {
	return webhook.makesNoAttempt && isHere;
}

/** Removes webhooks (DELETE `webhooks/{id}`, §4.4), ignoring missing ones. Throws PbxError after trying them all. */
async function removeAll({ webhooks }: Pbx, ids: readonly string[]): Promise<void> {
	let failed: unknown;
	for (const id of ids) {
		await webhooks.delete(id).catch((error: unknown) => {
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
	const fault = faultOf(found, name);
	return new PbxError({
		kind: 'unexpected',
		reason:
			fault ?? `The PBX doesn't keep the custom data of the webhook "${name}" for ${eventOf(hook)}`,
		hint:
			fault === undefined
				? "Turn off 'Verify Deliveries' under 'Options', or ask your PBX provider about the custom data of webhooks."
				: 'Ask your PBX provider about webhooks of this account.',
	});
}

/** Returns what is wrong with a new webhook besides its custom data. */
function faultOf(found: ObservedWebhook | undefined, name: string): string | undefined {
	if (!found) return `The PBX accepted the webhook "${name}", but doesn't list it at this address`;
	const { webhook, misconfiguration } = found;
	if (webhook.isDisabled)
		return `The PBX has disabled the webhook "${name}"${inBrackets(webhook.disableReason)}`;
	return misconfiguration && `The webhook "${name}" ${misconfiguration} by the PBX`;
}
