import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { sampleOf } from '../../events/samples';
import { MARK_NAME, newSecret } from '../../events/secret';
import { sendSample } from '../../transport/sender';
import { unixToGregorian } from '../../values/time';
import type { Home } from './registration/state';
import { clearState, forgetSecret, noteSecret, writeState } from './registration/state';
import type { Settings } from './settings';

/** n8n gets ready to take the sample meanwhile. */
const LEAD_MS = 500;

/**
 * Sends a sample of every chosen event to n8n's test URL of the node, as the PBX would, in one delivery: nothing is
 * registered at the PBX. Returns before it is sent, since n8n listens only then.
 */
export function sendSamples(
	context: IHookFunctions,
	home: Home,
	{ events, customData }: Settings,
): void {
	const secret = newSecret();
	noteSecret(home.url, secret, home);
	const data = context.getWorkflowStaticData('node');
	writeState(data, home, { secret, shown: {}, sent: {} });
	data.sampling = true;
	const startedAt = unixToGregorian(Math.floor(Date.now() / 1000));
	const body = events.map((value) => ({
		...sampleOf(value, startedAt),
		custom_data: { ...customData, [MARK_NAME]: secret },
	}));
	void deliver(context, context.getNodeWebhookUrl('default') ?? home.url, body);
}

/** Tells whether the registration that ends was for samples only, so that the PBX knows nothing of it. */
export function wasSampling(data: IDataObject, url: string): boolean {
	if (data.sampling !== true) return false;
	delete data.sampling;
	clearState(data);
	forgetSecret(url);
	return true;
}

async function deliver(context: IHookFunctions, url: string, body: object[]): Promise<void> {
	try {
		await sleep(LEAD_MS);
		await sendSample(context.helpers.httpRequest, url, body);
	} catch (error) {
		const words = error instanceof Error ? error.message : 'unknown reason';
		context.logger.error(`Virtual PBX Trigger: the sample could not be sent to ${url}. ${words}`);
	}
}
