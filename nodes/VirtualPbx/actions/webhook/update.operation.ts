import { defineOptionsCollection, webhookId } from '../../parameters/options';
import { defineCollection, parameterError, UPDATE_FIELDS } from '../../parameters/parameter';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { masked, readWebhookInput, webhookParameters } from './parameters';

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
		const changes = readWebhookInput(updateFields.read(call));
		const pbx = await call.pbx();
		if (Object.values(changes).every((value) => value === undefined)) {
			throw parameterError(
				call,
				'There is nothing to update',
				"Add a field under 'Update Fields'.",
			);
		}
		const { original } = await pbx.webhooks.update(id, changes);
		return itemsOf([masked(original)]);
	},
};
