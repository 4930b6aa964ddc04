import './environment';
import { WorkflowExecute } from 'n8n-core';
import type {
	IDataObject,
	IExecuteResponsePromiseData,
	INodeExecutionData,
	IRun,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { inARow } from '../../../tools/n8n/flow';
import { loadNodeTypes, makeNodeType } from './types';
import type { ExtraTypes } from './types';
import { makeAdditionalData, makeNode, makeWorkflow } from './workflow';
import type { TestNode } from './workflow';

const SOURCE = { type: 'test.items', name: 'Items' };

interface NodeOutcome {
	/** The JSON of the first output's items, which most tests compare. */
	items: IDataObject[];
	/** All outputs with binaries and paired items. Empty if the node failed. */
	output: INodeExecutionData[][];
	error?: Error;
	/** Hints that the execution shows next to the output. */
	hints?: string[];
}

interface RunOutcome {
	/** By node name. A node that didn't run is absent. */
	nodes: Record<string, NodeOutcome>;
	error?: Error;
	/** Responses sent by a node through `this.sendResponse`. */
	responses: IExecuteResponsePromiseData[];
	metadata?: Record<string, string> | undefined;
}

interface WorkflowInput {
	/** Each feeds the next. */
	nodes: TestNode[];
	/** Items for the first node, by default one empty item. */
	items?: IDataObject[] | undefined;
	/** The test's own node types, by full name. */
	types?: ExtraTypes | undefined;
	mode?: WorkflowExecuteMode | undefined;
	instanceUrl?: string | undefined;
}

export type NodeInput = TestNode & Omit<WorkflowInput, 'nodes'>;

/** Runs a workflow on n8n-core's own engine: real parameters, expressions, credential, HTTP, error handling. */
export async function runWorkflow(input: WorkflowInput): Promise<RunOutcome> {
	const items = (input.items ?? [{}]).map((json) => ({ json }));
	const nodes = [SOURCE, ...input.nodes].map(makeNode);
	const source = makeNodeType(SOURCE.type, { execute: async () => [items] });
	const nodeTypes = await loadNodeTypes(
		nodes.map(({ type }) => type),
		{ ...input.types, [SOURCE.type]: source },
	);
	const connections = inARow(...nodes.map(({ name }) => name));
	const mode = input.mode ?? 'manual';
	const workflow = makeWorkflow(nodes, connections, nodeTypes);
	const additionalData = makeAdditionalData(workflow, mode, input.instanceUrl);
	const responses: IExecuteResponsePromiseData[] = [];
	additionalData.hooks.addHandler('sendResponse', (response) => void responses.push(response));

	const [startNode] = nodes;
	try {
		const engine = new WorkflowExecute(additionalData, mode);
		const run = await engine.run({ workflow, ...(startNode && { startNode }) });
		return { ...outcomeOf(run), responses };
	} catch (error) {
		// The engine rejects a workflow with issues before it starts, such as a missing required field.
		if (!(error instanceof Error)) throw error;
		return { nodes: {}, error, responses };
	}
}

/** Runs one node with the given items and returns its output or error. */
export async function runNode(input: NodeInput): Promise<NodeOutcome & Omit<RunOutcome, 'nodes'>> {
	const { items, types, mode, instanceUrl, name = 'Node under test', ...node } = input;
	const nodes = [{ ...node, name }];
	const { nodes: outcomes, ...run } = await runWorkflow({ nodes, items, types, mode, instanceUrl });
	return { items: [], output: [], ...run, ...outcomes[name] };
}

function outcomeOf(run: IRun): Omit<RunOutcome, 'responses'> {
	const { runData, error, metadata } = run.data.resultData;
	const nodes: Record<string, NodeOutcome> = {};
	for (const [name, tasks] of Object.entries(runData)) {
		const task = tasks.at(-1);
		const output = (task?.data?.main ?? []).map((branch) => branch ?? []);
		nodes[name] = {
			items: (output[0] ?? []).map(({ json }) => json),
			output,
			...(task?.error && { error: task.error }),
			...(task?.hints && { hints: task.hints.map(({ message }) => message) }),
		};
	}
	return { nodes, metadata, ...(error && { error }) };
}
