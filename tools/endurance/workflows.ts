import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Sandbox } from '../../sandbox';
import { inARow, noOperation } from '../bench/flow';
import type { Part } from '../bench/flow';
import type { Credential, N8nClient } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';

const PACKAGE = 'n8n-nodes-virtual-pbx';
const POLLS = { item: [{ mode: 'everyMinute' }] };

/** Stores the credential of the sandbox's first account. */
export async function makeCredential(client: N8nClient, { url }: Sandbox): Promise<Credential> {
	return await client.createCredential('virtualPbxApi', 'PBX', { baseUrl: url, ...SANDBOX_LOGIN });
}

/** Activates a workflow of the event trigger and a node that does nothing; gives its id. */
export async function listenForEvents(
	client: N8nClient,
	credential: Credential,
	parameters: IDataObject,
): Promise<string> {
	const events = ['started', 'answered', 'ended'];
	const trigger = part('Call Events', 'virtualPbxTrigger', credential, { events, ...parameters });
	return await activate(client, 'Events', [{ ...trigger, typeVersion: 1.1 }, noOperation]);
}

/** Activates a workflow that answers the calls of a callflow with an extension, and falls back to a mailbox. */
export async function routeCalls(
	client: N8nClient,
	credential: Credential,
	callflowId: string,
): Promise<string> {
	const trigger = part('Call', 'virtualPbxRoutingTrigger', credential, {
		connect: 'callflow',
		callflowId: { __rl: true, mode: 'id', value: callflowId },
		fallback: { step: [{ type: 'voicemail', extension: '101' }] },
	});
	const steps = { step: [{ type: 'extension', extension: '100' }] };
	const answer = { resource: 'routing', operation: 'buildAnswer', steps };
	return await activate(client, 'Routing', [
		{ ...trigger, typeVersion: 2 },
		part('Answer', 'virtualPbx', undefined, answer),
	]);
}

/** Activates a workflow that asks for new calls every minute. */
export async function pollCalls(client: N8nClient, credential: Credential): Promise<string> {
	return await activate(client, 'Records', [
		part('Calls', 'virtualPbxRecordTrigger', credential, { pollTimes: POLLS, event: 'newCall' }),
		noOperation,
	]);
}

function part(
	name: string,
	type: string,
	credential: Credential | undefined,
	parameters: object,
): Part {
	return {
		name,
		type: `${PACKAGE}.${type}`,
		webhookId: randomUUID(),
		parameters: parameters as never,
		...(credential && {
			credentials: { virtualPbxApi: { id: credential.id, name: credential.name } },
		}),
	};
}

async function activate(client: N8nClient, name: string, parts: Part[]): Promise<string> {
	const workflow = await client.createWorkflow(inARow(name, parts));
	await client.activate(workflow.id);
	return workflow.id;
}
