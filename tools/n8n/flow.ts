import { randomUUID } from 'node:crypto';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import type { Credential, WorkflowFile } from './types';

/** Returns a node of this package, or of another one if the type contains a dot. */
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

/** Returns a node's entry for a PBX credential. */
export const credentialOf = ({ id, name }: Credential): Pick<INode, 'credentials'> => ({
	credentials: { virtualPbxApi: { id, name } },
});

/** Returns connections from each node to the next. */
export function inARow(...names: string[]): IConnections {
	const connections: IConnections = {};
	for (const [index, node] of names.slice(1).entries())
		connections[names[index] ?? ''] = { main: [[{ node, type: 'main', index: 0 }]] };
	return connections;
}

/** Returns a workflow of chained nodes. */
export function rowOf(name: string, nodes: INode[], settings: IDataObject = {}): WorkflowFile {
	const connections = inARow(...nodes.map((node) => node.name));
	return { name, nodes, connections, settings: { executionOrder: 'v1', ...settings } };
}
