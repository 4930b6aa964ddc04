import { randomUUID } from 'node:crypto';
import { sampleOf } from '../../../nodes/VirtualPbx/pbx/events/samples';
import type { Sandbox } from '../../../sandbox';
import { credentialOf, makeNode } from '../../n8n';
import type { N8nClient } from '../../n8n';
import { activate, createCredential, noOperation, UNSAVED } from './flow';

/**
 * Activates a workflow of the event trigger and another node, by default without stored executions.
 * Returns a function that creates a request with a new event, for the trigger or another address.
 */
export async function makeEventFlow(
	client: N8nClient,
	sandbox: Sandbox,
	{ next = noOperation, settings = UNSAVED } = {},
): Promise<(url?: string) => Request> {
	const credential = await createCredential(client, sandbox.url);
	const parameters = { filters: { number: '74951234567' }, options: { skipUrlCheck: true } };
	const more = { typeVersion: 1.1, ...credentialOf(credential) };
	const trigger = makeNode('Event', 'virtualPbxTrigger', parameters, more);
	await activate(client, [trigger, next], settings);
	const webhooks = [...sandbox.pbx.accounts.values()].flatMap((one) => one.webhooks.all());
	const registered = webhooks.find(({ uri }) => uri.includes(String(trigger.webhookId)));
	if (!registered) throw new Error('The trigger has registered no webhook');
	const { uri, custom_data: customData } = registered;
	const { name, args } = sampleOf('ended', 63_962_000_000);
	return (url = uri) => {
		const event = { name, args: { ...args, 'Msg-ID': randomUUID() }, custom_data: customData };
		const headers = { 'content-type': 'application/json' };
		return new Request(url, { method: 'POST', headers, body: JSON.stringify(event) });
	};
}
