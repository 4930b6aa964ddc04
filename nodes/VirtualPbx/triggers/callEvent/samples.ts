import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { messageOf } from '../../pbx/errors/meanings';
import { sampleDelivery } from '../../pbx/events/samples';
import { TAG_NAME, writeTag } from '../../pbx/events/webhookTag';
import { unixToGregorian } from '../../util/time';
import { sendSample } from '../runtime/n8nRequests';
import { makeTag, readDesired } from './registration/webhooks';
import { readSettings } from './settings';

/** Time for n8n to start listening for the sample. */
const LEAD_MS = 500;

/**
 * Sends a sample of every selected event to n8n's test URL. Returns before sending, since n8n listens only afterwards.
 * Sends nothing to the PBX.
 */
export async function sendSamples(context: IHookFunctions): Promise<void> {
	const settings = readSettings(context);
	const tag = writeTag(await makeTag(context, readDesired(context, settings, true)));
	const startedAt = unixToGregorian(Math.floor(Date.now() / 1000));
	const customData = { ...settings.customData, [TAG_NAME]: tag };
	const body = sampleDelivery(settings.events, startedAt, customData);
	void deliver(context, context.getNodeWebhookUrl('default') ?? '', body);
}

async function deliver(context: IHookFunctions, url: string, body: object[]): Promise<void> {
	try {
		await sleep(LEAD_MS);
		await sendSample(context.helpers.httpRequest, url, body);
	} catch (error) {
		const message = `Virtual PBX Trigger: the sample couldn't be sent to ${url}. ${messageOf(error)}`;
		context.logger.error(message);
	}
}
