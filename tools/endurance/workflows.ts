import type { IDataObject, INode } from 'n8n-workflow';
import { noOperation } from '../bench/flow';
import { credentialOf, makeNode, rowOf } from '../n8n';
import type { Credential, N8nClient } from '../n8n';

const POLLS = { item: [{ mode: 'everyMinute' }] };

/** Activates a workflow of the event trigger and a node that does nothing; gives its id. */
export async function listenForEvents(
	client: N8nClient,
	credential: Credential,
	parameters: IDataObject,
): Promise<string> {
	const wanted = { events: ['started', 'answered', 'ended'], ...parameters };
	const more = { typeVersion: 1.1, ...credentialOf(credential) };
	const trigger = makeNode('Call Events', 'virtualPbxTrigger', wanted, more);
	return await activate(client, 'Events', [trigger, noOperation]);
}

/** Activates a workflow that answers the calls of a callflow with an extension, and falls back to a mailbox. */
export async function routeCalls(
	client: N8nClient,
	credential: Credential,
	callflowId: string,
): Promise<string> {
	const parameters = {
		connect: 'callflow',
		callflowId: { __rl: true, mode: 'id', value: callflowId },
		fallback: { step: [{ type: 'voicemail', extension: '101' }] },
	};
	const more = { typeVersion: 2, ...credentialOf(credential) };
	const steps = { step: [{ type: 'extension', extension: '100' }] };
	return await activate(client, 'Routing', [
		makeNode('Call', 'virtualPbxRoutingTrigger', parameters, more),
		makeNode('Answer', 'virtualPbx', { resource: 'routing', operation: 'buildAnswer', steps }),
	]);
}

/** Activates a workflow that asks for new calls every minute. */
export async function pollCalls(client: N8nClient, credential: Credential): Promise<string> {
	const parameters = { pollTimes: POLLS, event: 'newCall' };
	const more = credentialOf(credential);
	const trigger = makeNode('Calls', 'virtualPbxRecordTrigger', parameters, more);
	return await activate(client, 'Records', [trigger, noOperation]);
}

async function activate(client: N8nClient, name: string, nodes: INode[]): Promise<string> {
	const workflow = await client.createWorkflow(rowOf(name, nodes));
	await client.activate(workflow.id);
	return workflow.id;
}
