import { defineOptionsCollection, webhookId } from '../../parameters/options';
import { defineCollection, parameterError, UPDATE_FIELDS } from '../../parameters/parameter';
import { webhooksOf } from '../../pbx/webhooks/webhooks';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { masked, readWebhookValues, webhookParameters, withCustomData } from './parameters';

const updateFields = defineCollection(UPDATE_FIELDS, Object.values(webhookParameters));

/** GET, then POST `webhooks/{id}` (§4.4). Custom data is merged by name. */
export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update webhook',
	description: 'Change fields of a webhook and keep all others, including custom data',
	kind: 'write',
	parameters: [webhookId, updateFields, defineOptionsCollection()],
	output: 'The webhook after the change',
	async execute(call) {
		const id = webhookId.read(call);
		const values = readWebhookValues(updateFields.read(call));
		const work = await openScope(call);
		if (Object.keys(values).length === 0) {
			throw parameterError(
				call,
				'There is nothing to update',
				"Add a field under 'Update Fields'.",
			);
		}
		const { original } = await webhooksOf(work).update(id, (current) =>
			withCustomData(values, current),
		);
		return itemsOf([masked(original)]);
	},
};
