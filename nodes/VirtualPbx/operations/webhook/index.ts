import type { Resource } from '../contract';
import { checkHealth } from './checkHealth.operation';
import { create } from './create.operation';
import { deleteWebhook } from './delete.operation';
import { deleteLeftovers } from './deleteLeftovers.operation';
import { get } from './get.operation';
import { getAttempts } from './getAttempts.operation';
import { getMany } from './getMany.operation';
import { update } from './update.operation';

/** Webhooks: addresses to which the PBX sends call events (§2.5, §4.4). */
export const webhook: Resource = {
	value: 'webhook',
	name: 'Webhook',
	description: 'URL that the PBX sends call events to',
	needsCredential: true,
	operations: [
		checkHealth,
		create,
		deleteWebhook,
		deleteLeftovers,
		get,
		getAttempts,
		getMany,
		update,
	],
	defaultOperation: 'getMany',
};
