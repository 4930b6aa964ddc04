import { optionsField } from '../../fields/options';
import { readWebhookId, webhookLocator } from '../../fields/locators';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { readDocument, WEBHOOK } from '../../transport/documents';
import { masked } from './fields';

/** GET `webhooks/{id}` (§4.4). */
export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get webhook',
	description: 'Get one webhook',
	kind: 'read',
	fields: [webhookLocator, optionsField()],
	output:
		'The webhook: id, name, uri, http_verb, hook, retries, custom_data, and other fields that the PBX returns',
	async execute(call) {
		const id = readWebhookId(call);
		return itemsOf([masked(await readDocument(await openScope(call), WEBHOOK, id))]);
	},
};
