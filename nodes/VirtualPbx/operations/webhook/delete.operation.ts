import { optionsField } from '../../fields/options';
import { readWebhookId, webhookLocator } from '../../fields/locators';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { deleteDocument, WEBHOOK } from '../../transport/documents';

/** DELETE `webhooks/{id}` (§4.4). */
export const deleteWebhook: Operation = {
	value: 'delete',
	name: 'Delete',
	action: 'Delete webhook',
	description: 'Delete a webhook permanently',
	kind: 'write',
	fields: [webhookLocator, optionsField()],
	output: 'deleted (true) and the id',
	async execute(call) {
		const id = readWebhookId(call);
		return itemsOf([await deleteDocument(await openScope(call), WEBHOOK, id)]);
	},
};
