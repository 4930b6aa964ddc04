import { readFields, refusal } from '../../parameters/inputs';
import {
	collectionField,
	optionsField,
	readLocator,
	UPDATE_FIELDS,
	webhookLocator,
} from '../../parameters/options';
import { changeDocument, WEBHOOK, wholeDocument } from '../../pbx/documents';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { masked, readWebhookValues, webhookFields, withCustomData } from './fields';

const updateFields = collectionField(UPDATE_FIELDS, Object.values(webhookFields));

/** GET, then POST `webhooks/{id}` (§4.4). Custom data is merged by name. */
export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update webhook',
	description: 'Change fields of a webhook and keep all others, including custom data',
	kind: 'write',
	fields: [webhookLocator, updateFields, optionsField()],
	output: 'The webhook after the change',
	async execute(call) {
		const id = readLocator(call, webhookLocator);
		const values = readWebhookValues(call, readFields(call, 'updateFields'));
		const work = await openScope(call);
		if (Object.keys(values).length === 0) {
			throw refusal(call, 'There is nothing to update', 'Add a field under Update Fields.');
		}
		const change = await changeDocument(work, WEBHOOK, id, (current) =>
			withCustomData(values, current),
		);
		return itemsOf([masked(await wholeDocument(work, WEBHOOK, { id, ...change }))]);
	},
};
