import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { Pbx } from '../../transport/pbx';
import { otherSide } from '../address';
import { removeOwn } from './registration/apply';
import type { Home } from './registration/state';
import { notedSecret } from './registration/state';

type Context = IHookFunctions | ITriggerFunctions;

/**
 * Removes what an n8n that was stopped while listening for a test event has left: webhooks that call this node's test
 * URL, unless this process is listening there now. A failure is only logged: the next start tries again.
 */
export async function sweepTestWebhooks(context: Context, pbx: Pbx, { url }: Home): Promise<void> {
	const testUrl = otherSide(url);
	if (testUrl === url || notedSecret(testUrl) !== undefined) return;
	const failed = await removeOwn(pbx, { url: testUrl, known: {} });
	if (failed) warn(context, `old test webhooks stay. ${failed.error.message}`);
}

/** Writes a warning into n8n's log that names the node and its workflow. */
export function warn(context: Context, words: string): void {
	const workflow = context.getWorkflow().name ?? '';
	context.logger.warn(`Virtual PBX Trigger "${context.getNode().name}" in "${workflow}": ${words}`);
}
