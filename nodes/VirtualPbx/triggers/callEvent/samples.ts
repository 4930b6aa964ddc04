import type { IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { messageOf } from '../../pbx/errors/meanings';
import type { CallEvent } from '../../pbx/events/callEvent';
import { readEvent } from '../../pbx/events/callEvent';
import { sampleEvents } from '../../pbx/events/table';
import { unixToGregorian } from '../../util/time';
import { sendSample } from '../runtime/n8nRequests';
import type { Settings } from './settings';

/** Time for n8n to start listening for the sample. */
const LEAD_MS = 500;

/**
 * Asks for a sample of every selected event at n8n's test URL, which makes them. Returns before sending, since n8n
 * listens only afterwards. Sends nothing to the PBX.
 */
export function sendSamples(context: IHookFunctions): void {
	void deliver(context, context.getNodeWebhookUrl('default') ?? '', {});
}

/** Returns a sample of every selected event, as {@link readEvent} reads it. */
export function readSamples({ events, customData }: Settings): CallEvent[] {
	const startedAt = unixToGregorian(Math.floor(Date.now() / 1000));
	return sampleEvents(events, startedAt, customData)
		.map(readEvent)
		.flatMap((read) => ('event' in read ? [read.event] : []));
}

async function deliver(context: IHookFunctions, url: string, body: object): Promise<void> {
	try {
		await sleep(LEAD_MS);
		await sendSample(context.helpers.httpRequest, url, body);
	} catch (error) {
		const message = `Virtual PBX Trigger: the sample couldn't be sent to ${url}. ${messageOf(error)}`;
		context.logger.error(message);
	}
}
