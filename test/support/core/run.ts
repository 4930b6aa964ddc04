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

const SOURCE_TYPE = 'test.items';
const SOURCE_NAME = 'Items';

/** The result of one node in a run. */
export interface NodeOutcome {
	/** The JSON of the first output's items, which most tests compare. */
	items: IDataObject[];
	/** All outputs with binaries and paired items. Empty if the node failed. */
	output: INodeExecutionData[][];
	error?: Error;
	/** Hints that the execution shows next to the output. */
	hints?: string[];
}

/** A finished run. */
export interface RunOutcome {
	/** By node name. A node that didn't run is absent. */
	nodes: Record<string, NodeOutcome>;
	/** The error that ended the run. */
	error?: Error;
	/** Responses sent by a node through `this.sendResponse`. */
	responses: IExecuteResponsePromiseData[];
	/** The execution's custom data. */
	metadata?: Record<string, string> | undefined;
}

/** Input of {@link runWorkflow}. */
export interface WorkflowInput {
	/** Each feeds the next. */
	nodes: TestNode[];
	/** Items for the first node, by default one empty item. */
	items?: IDataObject[] | undefined;
	/** The test's own node types, by full name. */
	types?: ExtraTypes | undefined;
	mode?: WorkflowExecuteMode | undefined;
	instanceUrl?: string | undefined;
}

/** Input of {@link runNode}. */
export type NodeInput = TestNode & Omit<WorkflowInput, 'nodes'>;

/**
 * Runs a workflow on n8n-core's own engine: real parameters, expressions, credential, HTTP, error handling.
 *
 * @example
 * const account = await storeCredential({ baseUrl: pbx.url, login: 'demo', password: 'demo-password', realm: 'demo.sandbox.local' });
 * const run = await runWorkflow({ nodes: [{ type: 'virtualPbx', name: 'List', credential: account, parameters: {...} }] });
 * expect(run.nodes.List?.items).toEqual([...]);
 */
export async function runWorkflow(input: WorkflowInput): Promise<RunOutcome> {
	const items = (input.items ?? [{}]).map((json) => ({ json }));
	const nodes = [{ type: SOURCE_TYPE, name: SOURCE_NAME }, ...input.nodes].map(makeNode);
	const source = makeNodeType(SOURCE_TYPE, { execute: async () => [items] });
	const types = { ...input.types, [SOURCE_TYPE]: source };
	const nodeTypes = await loadNodeTypes(
		nodes.map(({ type }) => type),
		types,
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

/**
 * Runs one node with the given items and returns its output or error.
 *
 * @example
 * const pbx = await runNode({ type: 'virtualPbx', credential: account, parameters: { resource: 'callflow', operation: 'getMany' } });
 * expect(pbx.error).toBeUndefined();
 * expect(pbx.items[0]).toMatchObject({ id: expect.any(String) });
 */
export async function runNode(
	input: NodeInput,
): Promise<NodeOutcome & Pick<RunOutcome, 'responses' | 'metadata'>> {
	const { items, types, mode, instanceUrl, name = 'Node under test', ...node } = input;
	const nodes = [{ ...node, name }];
	const run = await runWorkflow({ nodes, items, types, mode, instanceUrl });
	const outcome = run.nodes[name] ?? { items: [], output: [] };
	return {
		...outcome,
		...(run.error && !outcome.error && { error: run.error }),
		...{ responses: run.responses, metadata: run.metadata },
	};
}

function outcomeOf(run: IRun): Omit<RunOutcome, 'responses'> {
	const { runData, error, metadata } = run.data.resultData;
	const nodes: Record<string, NodeOutcome> = {};
	for (const [name, tasks] of Object.entries(runData)) {
		const task = tasks.at(-1);
		const output = (task?.data?.main ?? []).map((branch) => branch ?? []);
		const items = (output[0] ?? []).map(({ json }) => json);
		nodes[name] = {
			items,
			output,
			...(task?.error && { error: task.error }),
			...(task?.hints && { hints: task.hints.map(({ message }) => message) }),
		};
	}
	return { nodes, metadata, ...(error && { error }) };
}
