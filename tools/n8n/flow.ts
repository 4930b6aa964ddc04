import { randomUUID } from 'node:crypto';
import type { IConnections, IDataObject, INode, IRunExecutionData } from 'n8n-workflow';

/** A workflow as it is imported. */
export interface WorkflowFile {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IDataObject;
	/** IDs of tags. */
	tags?: string[];
}

/** A workflow as n8n stores it. */
export interface Workflow extends WorkflowFile {
	id: string;
	versionId: string;
	active: boolean;
}

/** A credential as n8n lists it. */
export type Credential = Record<'id' | 'name' | 'type', string>;

/** An execution as n8n lists it. */
export interface ExecutionSummary {
	id: string;
	workflowId: string;
	status: 'success' | 'error' | 'running' | 'waiting' | 'canceled' | 'crashed' | 'new' | 'unknown';
	mode: string;
}

/** An execution with its data. */
export interface Execution extends ExecutionSummary {
	data: IRunExecutionData;
}

/** Returns the JSON of the items of a node's last run; none if it didn't run. */
export function jsonOf(execution: Execution, node: string): IDataObject[] {
	const items = execution.data.resultData.runData[node]?.at(-1)?.data?.main?.[0] ?? [];
	return items.map(({ json }) => json);
}

/** Returns a node of this package, or of another one if the type contains a dot. */
export function makeNode(
	name: string,
	type: string,
	parameters: IDataObject = {},
	more: Partial<INode> = {},
): INode {
	const webhookId = randomUUID();
	return {
		...{ id: webhookId, webhookId, name, typeVersion: 1, position: [0, 0] },
		type: type.includes('.') ? type : `n8n-nodes-virtual-pbx.${type}`,
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
