import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { credentialOf, makeNode, rowOf } from '../../../tools/n8n';
import type { Credential, Execution, N8nClient, Workflow, WorkflowFile } from '../../../tools/n8n';

const START = 'Start';

/** The node by which {@link callWorkflow} calls. */
export const CALL = 'Call Workflow';

/** One step of a chain: a name, the operation as `resource:operation`, and its parameters. */
export type Step = [name: string, operation: string, parameters?: INodeParameters];

/** A node of the package's action node. */
export function actionNode(
	[name, operation, parameters = {}]: Step,
	credential: Credential,
): INode {
	const [resource = '', value = ''] = operation.split(':');
	const all = { resource, operation: value, ...parameters };
	return makeNode(name, 'virtualPbx', all, credentialOf(credential));
}

/** A workflow with a manual trigger and the nodes in a row; each runs once for what its forerunner gives. */
export function chainOf(name: string, nodes: INode[]): WorkflowFile {
	return rowOf(name, [makeNode(START, 'n8n-nodes-base.manualTrigger'), ...nodes]);
}

/** Stores the workflow, runs it by hand and gives its finished execution. */
export async function runChain(
	n8n: N8nClient,
	file: WorkflowFile,
	withinMs = 90_000,
): Promise<Execution> {
	const workflow = await n8n.createWorkflow(file);
	await n8n.runManually(workflow, START);
	const [execution] = await n8n.waitForExecutions(workflow.id, { withinMs });
	if (!execution) throw new Error(`${file.name} did not end`);
	return execution;
}

/** Lets a workflow call another one, once for all items; gives the execution, in which the node {@link CALL} is last. */
export async function callWorkflow(
	n8n: N8nClient,
	{ id }: Pick<Workflow, 'id'>,
	items: IDataObject[],
): Promise<Execution> {
	const jsCode = `return ${JSON.stringify(items)}.map((json) => ({ json }))`;
	const given = makeNode('Items', 'n8n-nodes-base.code', { jsCode }, { typeVersion: 2 });
	const called = makeNode(
		CALL,
		'n8n-nodes-base.executeWorkflow',
		{ workflowId: { __rl: true, mode: 'id', value: id }, options: {} },
		{ typeVersion: 1.2 },
	);
	return await runChain(n8n, chainOf('Calls another workflow', [given, called]));
}

/** The words of the error that ended an execution, for a test's message. */
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
