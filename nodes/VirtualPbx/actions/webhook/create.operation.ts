import { defineOptionsCollection, withFilledIn } from '../../parameters/options';
import { ADDITIONAL_FIELDS, defineCollection } from '../../parameters/parameter';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';
import { masked, readNewWebhook, webhookParameters } from './parameters';

const { name, uri, hook, verb, retries, customData } = webhookParameters;
const additionalFields = defineCollection(ADDITIONAL_FIELDS, [customData, retries, verb]);

/** PUT `webhooks` (§4.4). */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create webhook',
	description: 'Create a webhook that sends call events to an address',
	kind: 'write',
	parameters: [
		name.with({ required: true }),
		uri.with({ required: true }),
		hook,
		additionalFields,
		defineOptionsCollection(),
	],
	output: 'The new webhook with its id',
	async execute(call) {
		const given = withFilledIn(additionalFields.read(call), call, [name, uri, hook]);
		const webhook = readNewWebhook(given);
		const { original } = await (await call.pbx()).webhooks.create(webhook);
		return itemsOf([masked(original)]);
	},
};
