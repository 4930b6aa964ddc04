import type { LocatorKind } from './locator';
import { locatorField, readLocator } from './locator';
import type { Reading } from './refusal';

const WEBHOOK: LocatorKind = {
	displayName: 'Webhook',
	name: 'webhookId',
	description: 'Webhook to work with',
	search: 'searchWebhooks',
};

/** The webhook to work with: from the list, or by ID (§2.5). */
export const webhookLocator = locatorField(WEBHOOK);

/** Reads the webhook's ID; throws NodeOperationError when it is empty. */
export function readWebhookId(at: Reading): string {
	return readLocator(at, WEBHOOK);
}
