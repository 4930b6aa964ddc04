import { createHash } from 'node:crypto';
import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readCredential } from '../../auth/credential';
import { EVENTS, hooksOf } from '../../events/table';
import type { HookName } from '../../events/table';
import type { Subscription } from '../../subscription/lifecycle';
import { isRegistered, mayBeRegistered, register, unregister } from '../../subscription/lifecycle';
import { whyUnreachable } from '../../subscription/reachability';
import { forgetSecret, notedSecret } from '../../subscription/recent';
import { isTest, noteTest } from '../../subscription/testing';
import { CREDENTIAL } from '../../transport/door';
import type { Pbx } from '../../transport/pbx';
import { openPbx } from '../../transport/pbx';
import { isSampling, sendSamples, wasSampling } from './sample';
import { readSettings } from './settings';
import type { Settings } from './settings';

const MAX_NAME = 80;

const MOVED =
	'Virtual PBX Trigger: the credential now belongs to another login, so webhooks that the earlier one registered cannot be removed. Delete them at the PBX; their deliveries are refused.';

/** A person waits for an activation, and n8n's start for every trigger: so no long waits for each try. */
const TRY_MS = 15_000;

/**
 * n8n's `checkExists`: tells whether the webhooks of all chosen events are registered and healthy.
 * When n8n starts and the PBX cannot be asked, they are taken for registered: an error would make n8n stop listening.
 */
export async function checkExists(this: IHookFunctions): Promise<boolean> {
	noteTest(this);
	const settings = readSettings(this);
	if (isSampling(this)) return false;
	if (!isStart(this)) await refuseUnreachable(this, settings);
	const data = this.getWorkflowStaticData('node');
	const pbx = await openBriskly(this);
	const subscription = await subscriptionOf(this, settings);
	const answer = await isRegistered(pbx, subscription, data);
	if ('registered' in answer) {
		if (isStart(this)) await sweepTestWebhooks(this, pbx);
		return answer.registered;
	}

	if (isStart(this) && mayBeRegistered(answer.unknown, data, subscription.owner)) {
		this.logger.warn(
			`Virtual PBX Trigger: the webhooks could not be checked, so the trigger goes on with what is registered. ${answer.unknown.error.message}`,
		);
		return true;
	}
	throw answer.unknown.error;
}

/** n8n's `create`: makes the registration right, or throws and leaves nothing behind. */
export async function create(this: IHookFunctions): Promise<boolean> {
	const settings = readSettings(this);
	if (isSampling(this)) {
		sendSamples(this, urlOf(this), settings);
		return true;
	}
	await refuseUnreachable(this, settings);
	const subscription = await subscriptionOf(this, settings);
	await register(await openBriskly(this), subscription, this.getWorkflowStaticData('node'));
	return true;
}

/**
 * n8n's `delete`: removes every webhook that calls this node.
 *
 * @throws when one stays; after a test it is only logged, and removed at the next start or deactivation
 */
export async function remove(this: IHookFunctions): Promise<boolean> {
	const url = urlOf(this);
	if (wasSampling(this.getWorkflowStaticData('node'), url)) return true;
	if (!isTest(this)) await removeAll(this);
	else if (notedSecret(url) !== undefined) {
		await removeAll(this).catch((error) => {
			forgetSecret(url);
			warnOfTests(this, error);
		});
	}
	return true;
}

async function removeAll(context: IHookFunctions): Promise<void> {
	const data = context.getWorkflowStaticData('node');
	const pbx = await openBriskly(context);
	const owner = await ownerOf(context);
	if (typeof data.owner === 'string' && data.owner !== owner) context.logger.warn(MOVED);
	const failed = await unregister(pbx, { url: urlOf(context), owner }, data);
	if (failed) throw failed.error;
	await sweepTestWebhooks(context, pbx);
}

/**
 * Removes what an n8n that was stopped while listening for a test event has left: webhooks that call this node's test
 * URL, unless this process is listening there now. A failure is only logged: the next start tries again.
 */
async function sweepTestWebhooks(context: IHookFunctions, pbx: Pbx): Promise<void> {
	const url = urlOf(context);
	const testUrl = url.replace(/\/webhook\/([^/]+\/webhook)$/, '/webhook-test/$1');
	if (testUrl === url || notedSecret(testUrl) !== undefined) return;
	const failed = await unregister(pbx, { url: testUrl, owner: await ownerOf(context) }, {});
	if (failed) warnOfTests(context, failed.error);
}

function warnOfTests(context: IHookFunctions, error: unknown): void {
	const words = error instanceof Error ? error.message : String(error);
	context.logger.warn(`Virtual PBX Trigger: old test webhooks stay. ${words}`);
}

async function openBriskly(context: IHookFunctions): Promise<Pbx> {
	const pbx = await openPbx(context);
	return {
		...pbx,
		attempt: async (request) => await pbx.attempt({ timeoutMs: TRY_MS, ...request }),
	};
}

function isStart(context: IHookFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

function urlOf(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default');
	if (url) return url;
	throw new NodeOperationError(context.getNode(), 'n8n gives this trigger no webhook URL', {
		description: 'Remove the node from the workflow and add it again.',
	});
}

async function subscriptionOf(
	context: IHookFunctions,
	{ events, retries, customData }: Settings,
): Promise<Subscription> {
	const workflow = context.getWorkflow().name ?? 'workflow';
	return {
		url: urlOf(context),
		owner: await ownerOf(context),
		hooks: hooksOf(events).map((hook) => ({ hook, name: nameOf(workflow, hook) })),
		retries,
		customData,
	};
}

/** A mark of the PBX and the login, without the password, which may change. */
async function ownerOf(context: IHookFunctions): Promise<string> {
	const { baseUrl, platform, login, realm } = readCredential(
		await context.getCredentials(CREDENTIAL),
	);
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, platform, login, realm]))
		.digest('hex')
		.slice(0, 16);
}

/** For people who look at the PBX's list of webhooks. */
function nameOf(workflow: string, hook: HookName): string {
	const event = EVENTS.find((row) => row.hook === hook)?.name ?? hook;
	const text = `n8n: ${workflow}`.replace(/\s+/g, ' ').trim();
	return `${text.slice(0, MAX_NAME - event.length - 3)} (${event})`;
}

async function refuseUnreachable(context: IHookFunctions, settings: Settings): Promise<void> {
	if (settings.skipUrlCheck) return;
	const { baseUrl } = readCredential(await context.getCredentials(CREDENTIAL));
	const reason = whyUnreachable(urlOf(context), baseUrl);
	if (!reason) return;
	throw new NodeOperationError(context.getNode(), reason.message, {
		description: reason.description,
	});
}
