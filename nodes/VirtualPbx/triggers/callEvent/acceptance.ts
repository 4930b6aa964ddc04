import type { IWebhookFunctions } from 'n8n-workflow';

import type { CallEvent } from '../../pbx/events/parse';
import { recordAccepted } from '../runtime/accepted';
import { deliveryAddress } from '../runtime/address';
import { optionsOf } from '../runtime/settings';

/** Records the events of a delivery as taken once n8n has answered it with 200, which alone is a success for the PBX. */
export function recordDelivery(context: IWebhookFunctions, events: readonly CallEvent[]): void {
	const url = context.getNodeWebhookUrl('default');
	const address = deliveryAddress(url ?? '', optionsOf(context).deliveryUrl);
	if (context.getMode() === 'manual' || !('url' in address)) return;
	const hooks = new Set(events.map(({ hook }) => hook));
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (response.statusCode !== 200) return;
		for (const hook of hooks) recordAccepted(context, address.url, hook);
	});
}
