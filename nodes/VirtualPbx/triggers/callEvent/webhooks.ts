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
import type { OpenNode } from '../runtime/managed';
import type { Setup } from '../runtime/nodeRuntime';
import { runtimeOf } from '../runtime/nodeRuntime';
import type { Settings } from './parameters';
import { verifies } from './parameters';

export interface WebhookSetup extends Setup {
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
export function readSetup(
	context: IHookFunctions,
	{ events, retries, customData, checkMinutes, startsErrorWorkflow }: Settings,
	isTest: boolean,
): WebhookSetup {
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

/** Returns a webhook's hook; undefined if the event trigger doesn't know it. */
export function hookOf({ hook = '' }: Webhook): PbxHook | undefined {
	return hookOfName(hook);
}

/** Returns the name of a hook's event, as the editor shows it. */
export function eventOf(hook: PbxHook | undefined): string {
	return nameOfHook(hook) ?? 'an unknown event';
}

/**
 * Finds this node's webhooks at the PBX (§4.4): those at its address, which no other node has, or left by a stopped n8n
 * at its test address. For a removal, the list's data is enough if the PBX doesn't show webhooks one by one. Throws
 * PbxError.
 */
export async function findOwn(
	{ context, pbx, setup }: OpenNode<WebhookSetup>,
	isRemoval = false,
): Promise<Webhook[]> {
	const isListening = runtimeOf(context).endpoints.test?.activation !== undefined;
	const testUri = isListening ? undefined : setup.testUri;
	const isOwn = (webhook: Webhook) =>
		webhook.calls(setup.uri) || (testUri !== undefined && webhook.calls(testUri));
	const listed = await pbx.webhooks.list();
	const possible = listed.filter((webhook) => webhook.uri === undefined || isOwn(webhook));
	const whole = await pbx.webhooks.readAll(possible).catch((error: unknown) => {
		if (isRemoval && possible.length > 0) return possible;
		throw error;
	});
	return whole.filter(isOwn);
}

/** Returns the tag that the webhooks should carry now. The first login of a credential makes the secret. */
export async function tagFor({ context, credential, setup }: OpenNode<WebhookSetup>): Promise<Tag> {
	const settings = createHash('sha256').update(JSON.stringify([setup.retries, setup.customData]));
	const secret = secretIn(context, credential) ?? (await currentSecret(context)) ?? '';
	return { settings: settings.digest('hex').slice(0, 16), secret };
}

type Context = IHookFunctions | ITriggerFunctions;

function secretIn(context: Context, credential: CredentialData): string | undefined {
	return secretOf(credential, runtimeOf(context).key);
}

/** Returns the secret that n8n has saved for the node's webhooks; undefined before the first login. */
export async function currentSecret(context: Context): Promise<string | undefined> {
	return secretIn(context, await context.getCredentials<CredentialData>(CREDENTIAL));
}

export interface Plan {
	create: WebhookSetup['hooks'];
	/** Duplicates, unhealthy ones, and those of unselected events. */
	remove: Webhook[];
	/** Problems event by event, phrased as the middle of a sentence. */
	differences: string[];
}

/**
 * Plans one healthy webhook per hook, that is, enabled, with our tag, and set so that events reach the trigger. Other
 * edits by users stay. Undefined if nothing has to change.
 */
export function planFor(
	setup: WebhookSetup,
	tag: Tag,
	webhooks: readonly Webhook[],
): Plan | undefined {
	const { hooks } = setup;
	const isHealthy = (webhook: Webhook) => {
		if (!webhook.calls(setup.uri) || webhook.isDisabled || webhook.misconfiguration !== undefined)
			return false;
		const [shown] = webhook.tags;
		if (!shown) return setup.mayBeUntagged;
		return shown.secret === tag.secret && shown.settings === tag.settings;
	};
	const keep = hooks.flatMap(
		({ hook }) => webhooks.find((one) => hookOf(one) === hook && isHealthy(one)) ?? [],
	);
	const create = hooks.filter(({ hook }) => !keep.some((one) => hookOf(one) === hook));
	const remove = webhooks.filter((one) => !keep.includes(one));
	const missing = create.filter(({ hook }) => !webhooks.some((one) => hookOf(one) === hook));
	const whatIsWrong = (webhook: Webhook) => {
		const event = eventOf(hookOf(webhook));
		const isOf = ({ hook }: { hook: PbxHook }) => hook === hookOf(webhook);
		const [shown] = webhook.tags;
		if (!webhook.calls(setup.uri)) return `${event} of an old test was registered`;
		if (webhook.isDisabled) return `${event} was disabled${inBrackets(webhook.disableReason)}`;
		if (hooks.some(isOf) && !create.some(isOf)) return `${event} was registered twice`;
		if (webhook.misconfiguration !== undefined) return `${event} ${webhook.misconfiguration}`;
		if (!create.some(isOf)) return `${event} was also registered`;
		return shown && shown.secret !== tag.secret
			? `${event} had an old secret`
			: `${event} was changed`;
	};
	const differences = [
		...remove.map(whatIsWrong),
		...missing.map(({ hook }) => `${eventOf(hook)} wasn't registered`),
	];
	return differences.length === 0
		? undefined
		: { create, remove, differences: [...new Set(differences)] };
}

const inBrackets = (reason: string | undefined) => (reason === undefined ? '' : ` (${reason})`);

/**
 * Applies a plan (§4.4). Creates before deleting, so no event is missed, and reads what the PBX has kept. Throws PbxError
 * if it refuses a webhook, or doesn't keep it as sent: then, it is removed again. Webhooks that were repaired stay.
 */
export async function apply(
	node: OpenNode<WebhookSetup>,
	tag: Tag,
	{ create, remove }: Pick<Plan, 'create' | 'remove'>,
): Promise<void> {
	const { pbx, setup } = node;
	const { uri, retries } = setup;
	const customData = { ...setup.customData, [TAG_NAME]: writeTag(tag) };
	const made: string[] = [];
	node.beforeWriting();
	for (const { hook, name } of create) {
		const id = await pbx.webhooks
			.register({ name, uri, method: 'post', hook, retries, customData })
			.catch((error: unknown) => {
				throw withRejectedAddress(error, uri);
			});
		if (id !== undefined) made.push(id);
	}
	await removeAll(pbx, remove);
	const after = await findOwn(node);
	const rest = planFor(setup, tag, after);
	const [lost] = rest?.create ?? [];
	if (!rest || !lost) return;
	const isFine = (id: string) => after.some((one) => one.id === id && !rest.remove.includes(one));
	await removeAll(
		pbx,
		made.filter((id) => !isFine(id)).map((id) => ({ id })),
	);
	throw notKept(lost, after);
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
export async function removeAll(
	{ webhooks }: Pbx,
	all: ReadonlyArray<Pick<Webhook, 'id'>>,
): Promise<void> {
	let failed: unknown;
	for (const { id = '' } of all) {
		await webhooks.delete(id).catch((error: unknown) => {
			if (!(error instanceof PbxError) || error.status !== 404) failed = error;
		});
	}
	if (failed !== undefined) throw failed;
}

function notKept(
	{ hook, name }: WebhookSetup['hooks'][number],
	after: readonly Webhook[],
): PbxError {
	const fault = faultOf(
		after.find((one) => hookOf(one) === hook),
		name,
	);
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
