import { randomUUID } from 'node:crypto';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import type { Credential, WorkflowFile } from './types';

/** A node of this package, or of another one where the type has a dot. */
export function makeNode(
	name: string,
	type: string,
	parameters: IDataObject = {},
	more: Partial<INode> = {},
): INode {
	const webhookId = randomUUID();
	return {
		id: webhookId,
		webhookId,
		name,
		type: type.includes('.') ? type : `n8n-nodes-virtual-pbx.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: parameters as INode['parameters'],
		...more,
	};
}

/** A node's entry for a credential of the PBX. */
export const credentialOf = ({ id, name }: Credential): Pick<INode, 'credentials'> => ({
	credentials: { virtualPbxApi: { id, name } },
});

/** Connections that lead from each node to the next one. */
export function inARow(...names: string[]): IConnections {
	const connections: IConnections = {};
	for (const [index, node] of names.slice(1).entries())
		connections[names[index] ?? ''] = { main: [[{ node, type: 'main', index: 0 }]] };
	return connections;
}

/** A workflow of nodes in a row. */
export function rowOf(name: string, nodes: INode[], settings: IDataObject = {}): WorkflowFile {
	const connections = inARow(...nodes.map((node) => node.name));
	return { name, nodes, connections, settings: { executionOrder: 'v1', ...settings } };
}
