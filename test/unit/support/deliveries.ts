import { EventEmitter } from 'node:events';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { simplifyEvent } from '../../../nodes/VirtualPbx/calls/event';
import { chooseEvents } from '../../../nodes/VirtualPbx/triggers/callEvent/choose';
import type { Settings } from '../../../nodes/VirtualPbx/triggers/callEvent/settings';
import { parsedEvent } from '../../support/events/arbitraries';

let triggers = 0;

/** Delivers entries one delivery after the other to a trigger of its own; gives the items that start its workflow. */
export async function itemsOf(
	deliveries: IDataObject[][],
	settings: Settings,
	statusCode = 200,
): Promise<IDataObject[]> {
	const id = String(triggers++);
	const url = `https://n8n.example/webhook/${id}`;
	const items: IDataObject[] = [];
	for (const entries of deliveries) {
		const response = Object.assign(new EventEmitter(), { statusCode });
		const context = {
			getNodeWebhookUrl: () => url,
			getMode: () => 'webhook',
			getWorkflow: () => ({ id }),
			getNode: () => ({ id }),
			getResponseObject: () => response,
			getNodeParameter: () => ({}),
		} as unknown as IWebhookFunctions;
		const { chosen } = await chooseEvents(context, settings, entries.map(parsedEvent));
		response.emit('finish');
		items.push(...chosen.map((one) => simplifyEvent(one, one.value)));
	}
	return items;
}
