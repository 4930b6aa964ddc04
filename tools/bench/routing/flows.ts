import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { N8nClient } from '../../n8n';
import { inARow } from '../flow';
import type { Part } from '../flow';
import { ANSWER } from './floor/answer';

export { noOperation } from '../flow';
export type { Part } from '../flow';
export { ANSWER };

const PACKAGE = 'n8n-nodes-virtual-pbx';
/** Where n8n finds the nodes of the floor, for `N8N_CUSTOM_EXTENSIONS`. */
export const FLOOR_FOLDER = path.join(__dirname, 'floor');

/** Of our trigger: so that every answer that is timed is the workflow's own. */
export const PATIENT = { deadline: 60 };

const STEPS = {
	step: [
		{ type: 'extension', extension: '100', ringing: { timeout: 20 } },
		{ type: 'voicemail', extension: '100' },
	],
};

/** Our trigger; its fallback goes to another mailbox than any workflow's answer. */
export const trigger = (parameters: IDataObject = {}): Part => ({
	name: 'Call',
	type: `${PACKAGE}.virtualPbxRoutingTrigger`,
	typeVersion: 2,
	webhookId: randomUUID(),
	parameters: {
		fallback: { step: [{ type: 'voicemail', extension: '999' }] },
		...parameters,
	} as never,
});

/** Our action node with the steps of {@link ANSWER}. */
export const routing = (operation: 'buildAnswer' | 'respond'): Part => ({
	name: 'Answer',
	type: `${PACKAGE}.virtualPbx`,
	parameters: { resource: 'routing', operation, steps: STEPS } as never,
});

/** The trigger that answers with those steps by itself. */
export const immediate = (): Part => trigger({ responseMode: 'onReceived', fallback: STEPS });

/** n8n's own pair. */
export const webhook = (httpMethod: 'GET' | 'POST' = 'GET'): Part => ({
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2.1,
	webhookId: randomUUID(),
	parameters: { path: randomUUID(), httpMethod, responseMode: 'responseNode', options: {} },
});
export const respondToWebhook: Part = {
	name: 'Respond to Webhook',
	type: 'n8n-nodes-base.respondToWebhook',
	typeVersion: 1.5,
	parameters: { respondWith: 'json', responseBody: JSON.stringify(ANSWER), options: {} },
};

/** What n8n needs for any community node: a trigger that does nothing, and a node that sends what it gets. */
export const floorTrigger = (responseMode: 'LastNode' | 'OnReceived' | 'ResponseNode'): Part => ({
	name: 'Floor',
	type: `CUSTOM.bench${responseMode}`,
	typeVersion: 2,
	webhookId: randomUUID(),
	parameters: {},
});
export const floorRespond: Part = {
	name: 'Send',
	type: 'CUSTOM.benchRespond',
	parameters: {},
};

/** Stores and activates a workflow of parts in a row; gives the address of its first node. */
export async function makeFlow(
	client: N8nClient,
	name: string,
	parts: Part[],
	settings: IDataObject = {},
): Promise<string> {
	const workflow = await client.createWorkflow(inARow(name, parts, settings));
	await client.activate(workflow.id);
	const [first] = workflow.nodes;
	const ownPath = first?.parameters.path;
	return `${client.rest.url}/webhook/${ownPath ? String(ownPath) : `${first?.webhookId}/routing`}`;
}
