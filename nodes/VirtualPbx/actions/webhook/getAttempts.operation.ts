import { defineOptionsCollection, webhookId } from '../../parameters/options';
import { limit } from '../../parameters/output';
import { defineOptions } from '../../parameters/parameter';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';

const attemptsOf = defineOptions({
	displayName: 'Attempts Of',
	name: 'attemptsOf',
	type: 'options',
	options: [
		{ name: 'All Webhooks', value: 'all' },
		{ name: 'One Webhook', value: 'one' },
	],
	default: 'all',
	description: 'Which delivery attempts to get',
});

/** Not required: if the scope is an expression, n8n would ask for it with every scope. */
const ofOne = webhookId.with({
	required: false,
	displayOptions: { show: { attemptsOf: ['one'] } },
});

/** GET `webhooks/attempts` or `webhooks/{id}/attempts` (§4.4). */
export const getAttempts: Operation = {
	value: 'getAttempts',
	name: 'Get Attempts',
	action: 'Get webhook delivery attempts',
	description:
		'Get the latest delivery attempts of one or all webhooks, to find out why events are missing',
	kind: 'read',
	parameters: [attemptsOf, ofOne, ...limit.parameters, defineOptionsCollection()],
	output: 'One item per attempt, with the fields that the PBX logs and with masked secrets',
	async execute(call) {
		const id = attemptsOf.read(call) === 'one' ? ofOne.read(call) : undefined;
		const most = limit.read(call);
		const pbx = await call.pbx();
		const attempts = await pbx.webhooks.attempts(id, most);
		return itemsOf(pbx.withoutSecrets(attempts));
	},
};
