import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { readFields, refusal } from '../../fields/inputs';
import { readWebhookId, webhookLocator } from '../../fields/locators';
import { optionsField, readAccountId } from '../../fields/options';
import { updateDocument, WEBHOOK } from '../../transport/documents';
import { isObject } from '../../values/json';
import type { Operation } from '../contract';
import { itemsOf } from '../contract';
import {
	readWebhookValues,
	webhookCustomData,
	webhookHook,
	webhookName,
	webhookRetries,
	webhookUri,
	webhookVerb,
} from './fields';
import { masked, unmasked } from './webhooks';

const updateFields: INodeProperties = {
	displayName: 'Update Fields',
	name: 'updateFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [webhookCustomData, webhookRetries, webhookHook, webhookVerb, webhookName, webhookUri],
};

/** GET, then POST `webhooks/{id}` (§4.4). Custom data is merged by name. */
export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update webhook',
	description: 'Change fields of a webhook and keep all others, including custom data',
	kind: 'write',
	fields: [webhookLocator, updateFields, optionsField()],
	output: 'The webhook after the change',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const id = readWebhookId(at);
		const values = readWebhookValues(at, readFields(at, 'updateFields'));
		const work = { pbx: await pbx(), accountId: readAccountId(context, itemIndex), itemIndex };
		if (Object.keys(values).length === 0) {
			throw refusal(at, 'There is nothing to update', 'Add a field under Update Fields.');
		}
		return itemsOf([
			masked(
				await updateDocument(work, WEBHOOK, id, (current) =>
					withCustomData(unmasked(values, current), current),
				),
			),
		]);
	},
};

function withCustomData(values: IDataObject, current: IDataObject): IDataObject {
	if (!isObject(values.custom_data)) return values;
	const kept = isObject(current.custom_data) ? current.custom_data : {};
	return { ...values, custom_data: { ...kept, ...values.custom_data } };
}
