import { createHash } from 'node:crypto';
import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readCredential } from '../../auth/credential';
import type { PbxHook } from '../../events/table';
import { EVENTS, hooksOf } from '../../events/table';
import type { Pbx } from '../../transport/pbx';
import { CREDENTIAL } from '../../transport/request';
import { asText, isObject } from '../../values/json';
import { deliveryAddress } from '../address';
import type { Registration } from './registration/reconcile';
import type { Home } from './registration/state';
import type { Settings } from './settings';

type Context = IHookFunctions | IWebhookFunctions;

/**
 * Tells whose the node's registration is: see {@link Home}.
 *
 * @throws NodeOperationError when the node has no address or no credential
 */
export async function homeOf(context: IHookFunctions): Promise<Home> {
	return { ...placeOf(context), owner: await ownerOf(context) };
}

/**
 * The same for a delivery, which need not know the login.
 *
 * @throws NodeOperationError when the node has no address
 */
export function placeOf(context: Context): Home {
	return {
		workflowId: context.getWorkflow().id ?? '',
		nodeId: context.getNode().id,
		url: addressOf(context),
		owner: undefined,
		accountId: asText(asText(option(context, 'accountId'))?.trim()),
	};
}

/**
 * The address that the PBX is told: n8n's webhook URL, or what the user has entered instead.
 *
 * @throws NodeOperationError when n8n gives none, and for one that cannot be used, with the field's name
 */
export function addressOf(context: Context): string {
	const url = context.getNodeWebhookUrl('default');
	if (!url) {
		throw new NodeOperationError(context.getNode(), 'n8n has no webhook URL for this trigger', {
			description: 'Remove the node from the workflow and add it again.',
		});
	}
	const given = option(context, 'deliveryUrl');
	if (given === undefined) return url;
	const address = deliveryAddress(url, given);
	if ('url' in address) return address.url;
	throw new NodeOperationError(context.getNode(), `Delivery URL ${address.fault}`, {
		description: address.hint,
	});
}

/** Makes a PBX whose requests work in one account; undefined for the login's own. */
export function inAccount(pbx: Pbx, accountId: string | undefined): Pbx {
	return {
		...pbx,
		attempt: async (request) => await pbx.attempt({ accountId, ...request }),
		send: async (request) => await pbx.send({ accountId, ...request }),
	};
}

/**
 * A mark of the PBX and the login, without the password, which may change.
 *
 * @throws NodeOperationError when the node has no credential
 */
export async function ownerOf(context: IHookFunctions | ITriggerFunctions): Promise<string> {
	const { baseUrl, platform, login, realm } = readCredential(
		await context.getCredentials(CREDENTIAL),
	);
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, platform, login, realm]))
		.digest('hex')
		.slice(0, 16);
}

function option(context: Context, name: string): unknown {
	const options: unknown = (context as IHookFunctions).getNodeParameter('options', {});
	return isObject(options) ? options[name] : undefined;
}

const MAX_NAME = 80;

/**
 * What the node's settings make of webhooks: one for each hook of the chosen events (§2.5).
 *
 * @throws NodeOperationError when the node has no address or no credential
 */
export async function registrationOf(
	context: IHookFunctions,
	{ events, retries, customData }: Settings,
): Promise<Registration> {
	const workflow = context.getWorkflow().name ?? 'workflow';
	return {
		...(await homeOf(context)),
		hooks: hooksOf(events).map((hook) => ({ hook, name: nameOf(workflow, hook) })),
		retries,
		customData,
	};
}

/** For people who look at the PBX's list of webhooks. */
export function nameOf(workflow: string, hook: PbxHook): string {
	const event = EVENTS.find((row) => row.hook === hook)?.name ?? hook;
	const text = `n8n: ${workflow}`.replace(/\s+/g, ' ').trim();
	return `${cut(text, MAX_NAME - event.length - 3)} (${event})`;
}

/** Cuts between what a reader takes for characters: an emoji may consist of many. */
function cut(text: string, length: number): string {
	let kept = '';
	for (const { segment } of new Intl.Segmenter().segment(text)) {
		if (kept.length + segment.length > length) break;
		kept += segment;
	}
	return kept;
}
