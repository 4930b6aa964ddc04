import type { IDataObject, IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { CREDENTIAL } from '../../parameters/credential';
import { readAccountId } from '../../parameters/options';
import { triggerScope } from '../../parameters/parameter';
import type { Pbx } from '../../pbx/client';
import { adviseOnField, PbxError } from '../../pbx/errors/pbxError';
import type { Tag } from '../../pbx/events/delivery';
import { secretOf, TAG_NAME, writeTag } from '../../pbx/events/delivery';
import type { PbxHook } from '../../pbx/events/table';
import { hookOfName, nameOfHook, pbxHooksFor } from '../../pbx/events/table';
import type { CredentialData } from '../../pbx/types';
import type { Webhook } from '../../pbx/webhooks/webhooks';
import { otherSide, ownAddress } from '../runtime/address';
import type { Desired, Work } from '../runtime/managed';
import { runtimeOf } from '../runtime/nodeRuntime';
import type { Settings } from './parameters';
import { verifies } from './parameters';

/** The webhooks that an event trigger needs at the PBX. */
export interface DesiredWebhooks extends Desired {
	/** The address registered at the PBX. */
	uri: string;
	/** Where the production trigger listens for test events. Webhooks that a stopped n8n left there are removed. */
	testUri: string | undefined;
	hooks: Array<{ hook: PbxHook; name: string }>;
	retries: number;
	customData: IDataObject;
	/** Whether a webhook may lack our tag, since deliveries aren't verified. */
	mayBeUntagged: boolean;
	/** The secret that the webhooks were last seen to carry. */
	secret?: string | undefined;
}

/** Reads the parameters as webhooks: one per hook of the selected events (§2.5). Throws as `ownAddress` does. */
export function readDesired(
	context: IHookFunctions,
	{ events, retries, customData, checkMinutes, startsErrorWorkflow }: Settings,
	isTest: boolean,
): DesiredWebhooks {
	const uri = ownAddress(context);
	const testUri = isTest ? uri : otherSide(uri);
	const workflow = context.getWorkflow().name ?? 'workflow';
	return {
		uri,
		testUri: testUri === uri ? undefined : testUri,
		hooks: pbxHooksFor(events).map((hook) => ({ hook, name: webhookName(workflow, hook) })),
		retries,
		customData,
		checkMinutes,
		startsErrorWorkflow,
		accountId: readAccountId(triggerScope(context)),
		mayBeUntagged: !verifies(context),
	};
}

/** Names a webhook by workflow and event, for people who read the PBX's list. */
export function webhookName(workflow: string, hook: PbxHook): string {
	return `n8n: ${workflow.replace(/\s+/g, ' ').trim()} (${nameOfHook(hook)})`;
}

/** A webhook at this node's address, as the PBX shows it. */
interface ObservedWebhook {
	webhook: Webhook;
	/** Undefined for a hook unknown to the event trigger. */
	hook: PbxHook | undefined;
	/** Whether it calls the address that is desired now. */
	isHere: boolean;
}

export interface ObservedWebhooks {
	webhooks: ObservedWebhook[];
	/** The tag that they should carry now. */
	tag: Tag;
}

/**
 * Finds this node's webhooks at the PBX (§4.4): those at its address, which no other node has, or left by a stopped n8n
 * at its test address. For a removal, the list's data is enough if the PBX doesn't show webhooks one by one. Throws if
 * the credential or the PBX can't be read.
 */
export async function observe(work: Work<DesiredWebhooks>): Promise<ObservedWebhooks> {
	const { context, pbx, desired, purpose } = work;
	const isListening = runtimeOf(context).endpoints.test?.activation !== undefined;
	const testUri = isListening ? undefined : desired.testUri;
	const isAtOurs = (webhook: Webhook) =>
		webhook.calls(desired.uri) || (testUri !== undefined && webhook.calls(testUri));
	const listed = await pbx.webhooks.list({ isList: 'orNothing' });
	const possible = listed.filter((webhook) => webhook.uri === undefined || isAtOurs(webhook));
	const whole = await pbx.webhooks.readAll(possible).catch((error: unknown) => {
		if (purpose === 'remove' && possible.length > 0) return possible;
		throw error;
	});
	const webhooks = whole.filter(isAtOurs).map((webhook) => ({
		webhook,
		hook: webhook.hook === undefined ? undefined : hookOfName(webhook.hook),
		isHere: webhook.calls(desired.uri),
	}));
	return { webhooks, tag: await tagFor(work) };
}

async function tagFor({ context, credential, desired }: Work<DesiredWebhooks>): Promise<Tag> {
	const settings = createHash('sha256').update(
		JSON.stringify([desired.retries, desired.customData]),
	);
	// The first login of a credential makes the secret.
	const secret = secretIn(context, credential) ?? (await currentSecret(context)) ?? '';
	return { settings: settings.digest('hex').slice(0, 16), secret };
}

type Context = IHookFunctions | ITriggerFunctions;

function secretIn(context: Context, credential: CredentialData): string | undefined {
	return secretOf(credential, runtimeOf(context).key);
}

export async function currentSecret(context: Context): Promise<string | undefined> {
	return secretIn(context, await context.getCredentials<CredentialData>(CREDENTIAL));
}

/** The changes from the observed to the desired webhooks. */
export interface Plan {
	create: DesiredWebhooks['hooks'];
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
	{ webhooks, tag }: ObservedWebhooks,
): Plan | undefined {
	const hooks = purpose === 'remove' ? [] : desired.hooks;
	const keep = hooks.flatMap(
		({ hook }) =>
			webhooks.find((found) => found.hook === hook && isHealthy(found, desired, tag)) ?? [],
	);
	const create = hooks.filter(({ hook }) => !keep.some((webhook) => webhook.hook === hook));
	const remove = webhooks.filter((webhook) => !keep.includes(webhook));
	const missing = create.filter(({ hook }) => !webhooks.some((webhook) => webhook.hook === hook));
	const differences = [
		...remove.map((webhook) => whatIsWrong(webhook, { keep, create, tag })),
		...missing.map(({ hook }) => `${eventOf(hook)} wasn't registered`),
	];
	if (differences.length === 0) return undefined;
	return { create, remove, differences: [...new Set(differences)], tag };
}

function isHealthy(
	{ isHere, webhook }: ObservedWebhook,
	{ mayBeUntagged }: DesiredWebhooks,
	tag: Tag,
): boolean {
	if (!isHere || webhook.isDisabled || webhook.misconfiguration !== undefined) return false;
	const [shown] = webhook.tags;
	if (!shown) return mayBeUntagged;
	return shown.secret === tag.secret && shown.settings === tag.settings;
}

function whatIsWrong(
	{ webhook, hook, isHere }: ObservedWebhook,
	{ keep, create, tag }: Pick<Plan, 'create' | 'tag'> & { keep: readonly ObservedWebhook[] },
): string {
	const event = eventOf(hook);
	const [shown] = webhook.tags;
	if (!isHere) return `${event} of an old test was registered`;
	if (webhook.isDisabled) return `${event} was disabled${inBrackets(webhook.disableReason)}`;
	if (keep.some((kept) => kept.hook === hook)) return `${event} was registered twice`;
	if (webhook.misconfiguration !== undefined) return `${event} ${webhook.misconfiguration}`;
	if (!create.some((wanted) => wanted.hook === hook)) return `${event} was also registered`;
	return shown && shown.secret !== tag.secret
		? `${event} had an old secret`
		: `${event} was changed`;
}

const inBrackets = (reason: string | undefined) => (reason === undefined ? '' : ` (${reason})`);

/** Returns the name of a hook's event, as the editor shows it. */
export function eventOf(hook: PbxHook | undefined): string {
	return nameOfHook(hook) ?? 'an unknown event';
}

/**
 * Applies a plan (§4.4). Creates before deleting, so no event is missed, and observes again. Throws PbxError if the PBX
 * refuses a webhook, or doesn't keep it as sent: then, it is removed again. Webhooks that were repaired stay.
 */
export async function apply(work: Work<DesiredWebhooks>, plan: Plan): Promise<void> {
	const { pbx, desired, purpose } = work;
	const made: string[] = [];
	for (const { hook, name } of plan.create) {
		const customData = { ...desired.customData, [TAG_NAME]: writeTag(plan.tag) };
		const { uri, retries } = desired;
		const id = await pbx.webhooks
			.register({ name, uri, method: 'post', hook, retries, customData })
			.catch((error: unknown) => {
				throw withRejectedAddress(error, uri);
			});
		if (id !== undefined) made.push(id);
	}
	await removeAll(
		pbx,
		plan.remove.map(({ webhook }) => webhook.id ?? ''),
	);
	if (purpose === 'remove') return;
	const after = await observe(work);
	const rest = diff(work, after);
	const [lost] = rest?.create ?? [];
	if (!rest || !lost) return;
	const isKept = (id: string) =>
		after.webhooks.some((found) => found.webhook.id === id && !rest.remove.includes(found));
	await removeAll(
		pbx,
		made.filter((id) => !isKept(id)),
	);
	throw notKept(lost, after.webhooks);
}

/** Adds a hint to the error for an address that the PBX rejects: n8n made it, so the user can't correct a value. */
function withRejectedAddress(error: unknown, uri: string): unknown {
	return adviseOnField(
		error,
		({ field }) => field === 'uri',
		`The PBX doesn't accept the trigger's address ${uri}. Ask your n8n administrator to set N8N_WEBHOOK_URL to an address that the PBX can reach, or enter one in 'Delivery URL' under 'Delivery Options'.`,
	);
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
	const fault = faultOf(found?.webhook, name);
	return new PbxError({
		kind: 'unexpected',
		reason:
			fault ?? `The PBX doesn't keep the custom data of the webhook "${name}" for ${eventOf(hook)}`,
		hint:
			fault === undefined
				? "Turn off 'Verify Deliveries' under 'Delivery Options', or ask your PBX provider about the custom data of webhooks."
				: 'Ask your PBX provider about webhooks of this account.',
	});
}

/** Returns what is wrong with a new webhook besides its custom data. */
function faultOf(webhook: Webhook | undefined, name: string): string | undefined {
	if (!webhook)
		return `The PBX accepted the webhook "${name}", but doesn't list it at this address`;
	const { isDisabled, disableReason, misconfiguration } = webhook;
	if (isDisabled) return `The PBX has disabled the webhook "${name}"${inBrackets(disableReason)}`;
	return misconfiguration && `The webhook "${name}" ${misconfiguration} by the PBX`;
}
