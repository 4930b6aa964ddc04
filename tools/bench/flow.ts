import { randomUUID } from 'node:crypto';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import type { WorkflowFile } from '../n8n';

/** A node of a workflow to measure. */
export type Part = Pick<INode, 'name' | 'type' | 'parameters'> & Partial<INode>;

/** A node that does nothing. */
export const noOperation: Part = { name: 'Nothing', type: 'n8n-nodes-base.noOp', parameters: {} };

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
