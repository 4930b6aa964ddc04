import { webhookLocator } from '../../fields/locators';
import { WEBHOOK } from '../../transport/documents';
import type { Resource } from '../contract';
import { deleteOperation, getOperation } from '../documents';
import { checkHealth } from './checkHealth.operation';
import { create } from './create.operation';
import { deleteLeftovers } from './deleteLeftovers.operation';
import { masked } from './fields';
import { getAttempts } from './getAttempts.operation';
import { getMany } from './getMany.operation';
import { update } from './update.operation';

const texts = {
	description: 'Get one webhook',
	output:
		'The webhook: id, name, uri, http_verb, hook, retries, custom_data, and other fields that the PBX returns',
};

/** Webhooks: addresses to which the PBX sends call events (§2.5, §4.4). */
export const webhook: Resource = {
	value: 'webhook',
	name: 'Webhook',
	description: 'URL that the PBX sends call events to',
	needsCredential: true,
	operations: [
		checkHealth,
		create,
		deleteOperation(WEBHOOK, webhookLocator),
		deleteLeftovers,
		getOperation(WEBHOOK, webhookLocator, texts, masked),
		getAttempts,
		getMany,
		update,
	],
	defaultOperation: 'getMany',
};
