import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { credentialOf, makeNode, rowOf } from '../../../tools/n8n';
import type { Credential, Execution, N8nClient, Workflow, WorkflowFile } from '../../../tools/n8n';
import { eventually } from './eventually';

const START = 'Start';

/** The node that {@link callWorkflow} calls from. */
export const CALL = 'Call Workflow';

/** One step of a chain: a name, the operation as `resource:operation`, and its parameters. */
export type Step = [name: string, operation: string, parameters?: INodeParameters];

export function actionNode(
	[name, operation, parameters = {}]: Step,
	credential: Credential,
): INode {
	const [resource = '', value = ''] = operation.split(':');
	const all = { resource, operation: value, ...parameters };
	return makeNode(name, 'virtualPbx', all, credentialOf(credential));
}

/** Builds a workflow with a manual trigger and the nodes in a row. Each runs once for its predecessor's output. */
export function chainOf(name: string, nodes: INode[]): WorkflowFile {
	return rowOf(name, [makeNode(START, 'n8n-nodes-base.manualTrigger'), ...nodes]);
}

/** Runs a workflow manually from one of its triggers, as the editor's button does, and waits until it ends. */
export async function runToEnd(
	n8n: N8nClient,
	workflow: Workflow,
	trigger: string,
	withinMs = 90_000,
): Promise<Execution> {
	const { executionId = '' } = await n8n.runManually(workflow, trigger);
	return await eventually(async () => {
		const execution = await n8n.getExecution(executionId);
		expect(['success', 'error']).toContain(execution.status);
		return execution;
	}, withinMs);
}

/** Stores the workflow, runs it manually, and waits until it ends. */
export async function runChain(
	n8n: N8nClient,
	file: WorkflowFile,
	withinMs?: number,
): Promise<Execution> {
	return await runToEnd(n8n, await n8n.createWorkflow(file), START, withinMs);
}

/** Calls one workflow from another, once for all items. Returns the execution, with {@link CALL} as its last node. */
export async function callWorkflow(
	n8n: N8nClient,
	{ id }: Pick<Workflow, 'id'>,
	items: IDataObject[],
	withinMs?: number,
): Promise<Execution> {
	const jsCode = `return ${JSON.stringify(items)}.map((json) => ({ json }))`;
	const source = makeNode('Items', 'n8n-nodes-base.code', { jsCode }, { typeVersion: 2 });
	const call = makeNode(
		CALL,
		'n8n-nodes-base.executeWorkflow',
		{ workflowId: { __rl: true, mode: 'id', value: id }, options: {} },
		{ typeVersion: 1.2 },
	);
	return await runChain(n8n, chainOf('Calls another workflow', [source, call]), withinMs);
}

/** Returns the error that ended an execution, for a test's message. */
export function errorOf(execution: Execution): IDataObject | undefined {
	const { error } = execution.data.resultData;
	return (
		error && {
			node: execution.data.resultData.lastNodeExecuted,
			message: error.message,
			details: error.description,
		}
	);
}
