import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { messageOf } from '../../pbx/errors/meanings';
import { sampleOf } from '../../pbx/events/samples';
import { TAG_NAME, writeTag } from '../../pbx/events/webhookTag';
import { sendSample } from '../runtime/ownAddress';
import { unixToGregorian } from '../../util/time';
import { refuseUnreachable } from '../runtime/address';
import type { Setup } from '../runtime/lifecycle';
import { hooksOf } from '../runtime/lifecycle';
import { checkWebhooks } from './registration/check';
import type { DesiredWebhooks } from './registration/desired';
import { makeMark, readDesired } from './registration/desired';
import { observe } from './registration/observed';
import { apply, compare, removeAll } from './registration/plan';
import { isSampling, readSettings, assertNotReserved, wantsSamples } from './settings';
import type { Settings } from './settings';
import { stateOf } from './triggerState';

/** How the event trigger sets itself up: one webhook at the PBX for each hook of the chosen events (§2.5, §4.4). */
export const webhookSetup: Setup<DesiredWebhooks> = {
	title: 'Virtual PBX Trigger',
	leftovers:
		'webhooks of this trigger may still be registered at the PBX. Publish and unpublish the workflow again to remove them, or use Webhook > Delete Leftovers of the Virtual PBX node.',

	async read(context, isTest) {
		if (isTest && wantsSamples(context)) return undefined;
		return readDesired(context, readSettings(context), isTest);
	},

	async validate(context, desired) {
		assertNotReserved(context, readSettings(context));
		if (desired) await refuseUnreachable(context);
	},

	async isInPlace(pbx, desired, context) {
		const { plan } = await compare(context, pbx, desired);
		return plan.differences.length === 0;
	},

	async create(pbx, desired, context) {
		await apply(await compare(context, pbx, desired));
	},

	async remove(pbx, desired, context) {
		await removeAll(pbx, await observe(context, pbx, desired, true));
	},

	check: checkWebhooks,

	/** A changed password makes another secret: the webhooks carry the old one until the new one is registered. */
	async isOutdated(context, desired) {
		const { secret } = await makeMark(context, desired);
		const isOld = desired.mark !== undefined && desired.mark.secret !== secret;
		return isOld || stateOf(context).secrets.isDoubted;
	},
};

const hooks = hooksOf(webhookSetup);

/** n8n's `checkExists`; with Sample Events, a test gets samples instead, and nothing is registered. */
export async function checkExists(this: IHookFunctions): Promise<boolean> {
	const isInPlace = await hooks.checkExists(this);
	if (isInPlace && isSampling(this)) await sendSamples(this, readSettings(this));
	return isInPlace;
}

export const { create, delete: remove } = hooks;

/** n8n gets ready to take the sample meanwhile. */
const LEAD_MS = 500;

/** Sends a sample of every chosen event to n8n's test URL; returns before, since n8n listens only then. Asks no PBX. */
async function sendSamples(context: IHookFunctions, settings: Settings): Promise<void> {
	const { events, customData } = settings;
	const mark = writeTag(await makeMark(context, readDesired(context, settings, true)));
	const startedAt = unixToGregorian(Math.floor(Date.now() / 1000));
	const body = events.map((value) => ({
		...sampleOf(value, startedAt),
		custom_data: { ...customData, [TAG_NAME]: mark },
	}));
	void deliver(context, context.getNodeWebhookUrl('default') ?? '', body);
}

async function deliver(context: IHookFunctions, url: string, body: object[]): Promise<void> {
	try {
		await sleep(LEAD_MS);
		await sendSample(context.helpers.httpRequest, url, body);
	} catch (error) {
		const message = `Virtual PBX Trigger: the sample could not be sent to ${url}. ${messageOf(error)}`;
		context.logger.error(message);
	}
}
