import { randomUUID } from 'node:crypto';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import type { Credential, N8nClient, Workflow } from '../../tools/n8n';
import type { TestPbx } from './e2e';

const PACKAGE = 'n8n-nodes-virtual-pbx';

/** A node as these tests write it. */
export type Part = Pick<INode, 'name' | 'type' | 'parameters'> & Partial<INode>;

/** The routing trigger; it falls back to a mailbox that no workflow names, so that a fallback is told from an answer. */
export const routingTrigger = (parameters: IDataObject = {}, credential?: Credential): Part => ({
	name: 'Call',
	type: `${PACKAGE}.virtualPbxRoutingTrigger`,
	typeVersion: 2,
	webhookId: randomUUID(),
	parameters: {
		connect: 'manual',
		responseMode: 'lastNode',
		fallback: { step: [{ type: 'voicemail', extension: '101' }] },
		...parameters,
	} as never,
	...(credential && {
		credentials: { virtualPbxApi: { id: credential.id, name: credential.name } },
	}),
});

/** An operation of the action node's resource Routing. */
export const routing = (
	operation: 'buildAnswer' | 'respond',
	step: IDataObject[],
	more: IDataObject = {},
): Part => ({
	name: operation,
	type: `${PACKAGE}.virtualPbx`,
	parameters: { resource: 'routing', operation, steps: { step }, ...more } as never,
});

/** A node that gives JSON. */
export const give = (json: object): Part => ({
	name: 'Give',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: { mode: 'raw', jsonOutput: JSON.stringify(json), options: {} },
});

/** A node that fails. */
export const fail: Part = {
	name: 'Fail',
	type: 'n8n-nodes-base.stopAndError',
	parameters: { errorMessage: 'The CRM is down' },
};

/** A node that takes its time. */
export const wait = (seconds: number): Part => ({
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: randomUUID(),
	parameters: { amount: seconds },
});

/** A node that lets nothing through. */
export const stopFlow: Part = {
	name: 'Nothing',
	type: 'n8n-nodes-base.filter',
	typeVersion: 2.2,
	parameters: {
		conditions: {
			options: { version: 2, caseSensitive: true, leftValue: '', typeValidation: 'strict' },
			combinator: 'and',
			conditions: [
				{
					id: '1',
					leftValue: '1',
					rightValue: '2',
					operator: { type: 'string', operation: 'equals' },
				},
			],
		},
		options: {},
	},
};

/** A workflow of parts in a row, not yet active, and the address that its trigger listens at. */
export async function makeFlow(
	n8n: N8nClient,
	parts: Part[],
	settings: IDataObject = {},
): Promise<Workflow & { url: string }> {
	const nodes = parts.map((part, index) => ({
		id: randomUUID(),
		typeVersion: 1,
		position: [index * 200, 0] as [number, number],
		...part,
	}));
	const connections: IConnections = Object.fromEntries(
		nodes
			.slice(1)
			.map(({ name }, index) => [
				nodes[index]?.name ?? '',
				{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
			]),
	);
	const workflow = await n8n.createWorkflow({
		name: `Routing ${randomUUID()}`,
		nodes,
		connections,
		settings: { executionOrder: 'v1', ...settings },
	});
	return { ...workflow, url: `${n8n.rest.url}/webhook/${nodes[0]?.webhookId}/routing` };
}

/** What the caller of a routing request got. */
export async function ask(url: string, init: RequestInit = {}) {
	const before = performance.now();
	const response = await fetch(url, { signal: AbortSignal.timeout(30_000), ...init });
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

/** The callflow of the sandbox's first account that has a name, in full. */
export async function callflowNamed(
	pbx: TestPbx,
	name: string,
): Promise<IDataObject & { id: string }> {
	const { data } = await pbx.client.pbx('GET', 'callflows');
	const found = (data as Array<IDataObject & { id: string }>).find((one) => one.name === name);
	const answer = await pbx.client.pbx('GET', `callflows/${found?.id}`);
	return answer.data as IDataObject & { id: string };
}
