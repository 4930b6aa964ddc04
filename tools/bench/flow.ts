import { randomUUID } from 'node:crypto';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import type { Credential, WorkflowFile } from '../n8n';

/** A node of a workflow to measure. */
export type Part = Pick<INode, 'name' | 'type' | 'parameters'> & Partial<INode>;

/** A node that does nothing. */
export const noOperation: Part = { name: 'Nothing', type: 'n8n-nodes-base.noOp', parameters: {} };

/** A node with our credential. */
export const withCredential = (part: Part, { id, name }: Credential): Part => ({
	...part,
	credentials: { virtualPbxApi: { id, name } },
});

/** n8n's HTTP Request node, asking with our credential. */
export const httpRequestNode = (
	url: string,
	credential: Credential,
	options: INode['parameters'] = {},
): Part =>
	withCredential(
		{
			name: 'Get',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'virtualPbxApi',
				options,
			},
		},
		credential,
	);

/** A webhook that answers with what the last node gives. */
export const answeringWebhook = (path: string): Part => ({
	name: 'Start',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	webhookId: path,
	parameters: { path, responseMode: 'lastNode', options: {} },
});

/** A node that gives a single number. */
export const numberNode = (name: string, value: string): Part => ({
	name: 'Count',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: { assignments: [{ id: name, name, type: 'number', value }] },
		options: {},
	},
});

/** Makes a workflow of parts in a row. */
export function inARow(
	name: string,
	parts: readonly Part[],
	settings: IDataObject = {},
): WorkflowFile {
	const nodes = parts.map((part, index) => ({
		id: randomUUID(),
		typeVersion: 1,
		position: [index * 200, 0] as [number, number],
		...part,
	}));
	const connections: IConnections = Object.fromEntries(
		nodes
			.slice(1)
			.map((node, index) => [
				nodes[index]?.name ?? '',
				{ main: [[{ node: node.name, type: 'main' as const, index: 0 }]] },
			]),
	);
	return { name, nodes, connections, settings: { executionOrder: 'v1', ...settings } };
}
