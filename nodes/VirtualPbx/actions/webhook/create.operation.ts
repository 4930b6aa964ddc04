import { readFields, readParameter } from '../../parameters/inputs';
import { ADDITIONAL_FIELDS, collectionField, optionsField } from '../../parameters/options';
import { webhooksOf } from '../../pbx/webhooks/webhooks';
import type { Operation } from '../contract';
import { itemsOf, openScope } from '../contract';
import { masked, newWebhook, readWebhookValues, webhookFields, withCustomData } from './fields';

const additionalFields = collectionField(ADDITIONAL_FIELDS, [
	webhookFields.customData,
	webhookFields.retries,
	webhookFields.verb,
]);

/** PUT `webhooks` (§4.4). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description: 'Create a webhook that sends call events to an address',
	kind: 'write',
	fields: [
		{ ...webhookFields.name, required: true },
		{ ...webhookFields.uri, required: true },
		webhookFields.hook,
		additionalFields,
		optionsField(),
	],
	output: 'The new webhook with its id',
	async execute(call) {
		const hook = readParameter(call, 'hook', 'channel_destroy') as string;
		const values = { ...readFields(call, 'additionalFields', ['name', 'uri']), hook };
		const sent = withCustomData(newWebhook(call, readWebhookValues(call, values)));
		const { original } = await webhooksOf(await openScope(call)).create(sent);
		return itemsOf([masked(original)]);
	},
};
