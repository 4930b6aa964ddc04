import type { IWebhookDescription } from 'n8n-workflow';
import { fromParameter, webhookDescriptionFields } from 'n8n-workflow';

/**
 * How n8n finds out where the answer comes from. Read natively where this n8n can, since evaluating an expression in
 * its sandbox costs a fifth of the whole answer time (docs/routing.md, "Speed").
 */
const responseMode: Pick<IWebhookDescription, 'responseMode'> =
	typeof webhookDescriptionFields === 'function'
		? webhookDescriptionFields({ responseMode: fromParameter('responseMode', 'lastNode') })
		: { responseMode: '={{$parameter["responseMode"] || "lastNode"}}' };

const webhook = (
	name: IWebhookDescription['name'],
	httpMethod: 'GET' | 'POST',
): IWebhookDescription => ({
	name,
	httpMethod,
	path: 'routing',
	responseData: 'allEntries',
	...responseMode,
});

/** One path for both methods by which a PBX may ask (§2.2 `method`). */
export const routingWebhooks: IWebhookDescription[] = [
	webhook('default', 'GET'),
	webhook('setup', 'POST'),
];
