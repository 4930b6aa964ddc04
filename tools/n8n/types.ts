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
export interface Credential {
	id: string;
	name: string;
	type: string;
}

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
