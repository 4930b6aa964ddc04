import { randomUUID } from 'node:crypto';
import type { IDataObject, INode } from 'n8n-workflow';
import { credentialOf, makeNode, rowOf } from '../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../tools/n8n';
import type { TestPbx } from './e2e';

/** The usual deadline in milliseconds, which a trigger that connects itself keeps, as its PBX waits for 5 s. */
export const DEADLINE_MS = 4000;

/**
 * The routing trigger. Its fallback is a mailbox that no workflow names, to tell a fallback from a routing answer. Its
 * deadline is long enough for a busy machine, unless it connects itself.
 */
export function routingTrigger(parameters: IDataObject = {}, credential?: Credential): INode {
	const all = {
		...{ connect: 'manual', responseMode: 'lastNode' },
		deadline: parameters.connect === 'callflow' ? DEADLINE_MS / 1000 : 60,
		fallback: { step: [{ type: 'voicemail', extension: '101' }] },
		...parameters,
	};
	const more = { typeVersion: 2, ...(credential && credentialOf(credential)) };
	return makeNode('Call', 'virtualPbxRoutingTrigger', all, more);
}

/** An operation of the action node's resource Routing. */
export const routing = (operation: 'buildAnswer' | 'respond', step: IDataObject[]): INode =>
	makeNode(operation, 'virtualPbx', { resource: 'routing', operation, steps: { step } });

export const fail = makeNode('Fail', 'n8n-nodes-base.stopAndError', {
	errorMessage: 'The CRM is down',
});

export const wait = (seconds: number): INode =>
	makeNode('Wait', 'n8n-nodes-base.wait', { amount: seconds }, { typeVersion: 1.1 });

/** A node that lets nothing through. */
export const stopFlow = makeNode('Nothing', 'n8n-nodes-base.limit', { maxItems: 0 });

/** Creates an inactive workflow of nodes in a row, and returns it with its trigger's address. */
export async function makeFlow(
	n8n: N8nClient,
	nodes: INode[],
	settings: IDataObject = {},
): Promise<Workflow & { url: string }> {
	const workflow = await n8n.createWorkflow(rowOf(`Routing ${randomUUID()}`, nodes, settings));
	return { ...workflow, url: `${n8n.rest.url}/webhook/${nodes[0]?.webhookId}/routing` };
}

/** Sends a routing request and returns the response. */
export async function ask(url: string, init: RequestInit = {}) {
	const before = performance.now();
	const response = await fetch(url, { signal: AbortSignal.timeout(90_000), ...init });
	const text = await response.text();
	return {
		ms: performance.now() - before,
		status: response.status,
		type: response.headers.get('content-type'),
		by: response.headers.get('x-routing-answer'),
		reason: response.headers.get('x-routing-reason'),
		body: JSON.parse(text) as unknown,
	};
}

/** Returns the full callflow of that name in the sandbox's first account. */
export async function callflowNamed(
	pbx: TestPbx,
	name: string,
): Promise<IDataObject & { id: string }> {
	const { data } = await pbx.client.pbx('GET', 'callflows');
	const found = (data as Array<IDataObject & { id: string }>).find((one) => one.name === name);
	const answer = await pbx.client.pbx('GET', `callflows/${found?.id}`);
	return answer.data as IDataObject & { id: string };
}
