import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { simplifyEvent } from '../../../nodes/VirtualPbx/calls/event';
import { chooseEvent } from '../../../nodes/VirtualPbx/triggers/callEvent/select';
import type { Settings } from '../../../nodes/VirtualPbx/triggers/callEvent/parameters';
import { parsedEvent } from '../../support/events/arbitraries';

let triggers = 0;

/** Delivers events one after the other to a trigger of its own; gives the items that start its workflow. */
export async function itemsOf(
	events: readonly IDataObject[],
	settings: Settings,
): Promise<IDataObject[]> {
	const id = String(triggers++);
	const url = `https://n8n.example/webhook/${id}`;
	const items: IDataObject[] = [];
	for (const entry of events) {
		const response = { statusCode: 200, end: () => undefined };
		const context = {
			getNodeWebhookUrl: () => url,
			getMode: () => 'webhook',
			getWorkflow: () => ({ id }),
			getNode: () => ({ id }),
			getResponseObject: () => response,
			getNodeParameter: () => ({}),
		} as unknown as IWebhookFunctions;
		const choice = await chooseEvent(context, settings, parsedEvent(entry));
		response.end();
		if ('chosen' in choice) items.push(simplifyEvent(choice.chosen, choice.chosen.value));
	}
	return items;
}
