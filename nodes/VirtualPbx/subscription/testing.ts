import type { IHookFunctions } from 'n8n-workflow';

const testUrls = new Set<string | undefined>();

/** Notes that the node's URL is one for test events, which n8n tells only while the listening begins. */
export function noteTest(context: IHookFunctions): void {
	if (context.getMode() === 'manual') testUrls.add(context.getNodeWebhookUrl('default'));
}

/**
 * Tells whether a webhook method works for test events. To throw at the end of the listening would be a disaster then:
 * n8n 2.39 would keep what it can store nowhere, and refuse every later listening, of any workflow, until it restarts.
 */
export function isTest(context: IHookFunctions): boolean {
	return testUrls.has(context.getNodeWebhookUrl('default'));
}
