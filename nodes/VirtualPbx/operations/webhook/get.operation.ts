import { optionsField, readAccountId } from '../../fields/options';
import { readWebhookId, webhookLocator } from '../../fields/locators';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import { readDocument, WEBHOOK } from '../../transport/documents';
import { masked } from './webhooks';

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
	async execute({ context, itemIndex, pbx }) {
		const id = readWebhookId({ context, itemIndex });
		const accountId = readAccountId(context, itemIndex);
		const work = { pbx: await pbx(), accountId, itemIndex };
		return itemsOf([masked(await readDocument(work, WEBHOOK, id))]);
	},
};
