import './environment';
import { randomUUID } from 'node:crypto';
import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import { Workflow } from 'n8n-workflow';
import type {
	IConnections,
	IDataObject,
	INode,
	INodeParameters,
	INodeTypes,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { TestCredentialsHelper } from './credentials';
import type { StoredCredential } from './credentials';
import { fullTypeName } from './types';

/** A node of a test's workflow. Only its type is required. */
export interface TestNode {
	/** `virtualPbx`, or the full name of the test's own type. */
	type: string;
	name?: string;
	typeVersion?: number;
	parameters?: INodeParameters;
	credential?: StoredCredential;
	onError?: NonNullable<INode['onError']>;
	webhookId?: string;
	disabled?: boolean;
}

/** Creates a full n8n node from a test's short form. */
export function makeNode({ credential, ...node }: TestNode): INode {
	const type = fullTypeName(node.type);
	return {
		...{ id: randomUUID(), name: type.slice(type.lastIndexOf('.') + 1), typeVersion: 1 },
		...{ position: [0, 0], parameters: {}, ...node, type },
		...(credential && { credentials: credential.reference }),
	};
}

/** Creates n8n's Workflow, which also fills in the default of every parameter. */
export function makeWorkflow(
	nodes: INode[],
	connections: IConnections,
	nodeTypes: INodeTypes,
	more: { staticData?: IDataObject; id?: string; name?: string } = {},
): Workflow {
	return new Workflow({
		...{ id: 'test-workflow', name: 'Test workflow', active: false, staticData: {} },
		...{ nodes, connections, nodeTypes, settings: { executionOrder: 'v1' } },
		...more,
	});
}

/** Builds what the package's nodes read of what n8n adds to an execution: credentials, its own addresses, hooks. */
export function makeAdditionalData(
	{ id }: Workflow,
	mode: WorkflowExecuteMode,
	instanceUrl = 'http://127.0.0.1:5678/',
) {
	const base = instanceUrl.replace(/\/+$/, '');
	const data = {
		credentialsHelper: new TestCredentialsHelper(),
		hooks: new ExecutionLifecycleHooks(mode, 'test-execution', { id } as IWorkflowBase),
		executionId: 'test-execution',
		workflowId: id,
		currentNodeExecutionIndex: 0,
		variables: {},
		externalSecretsProxy: new ExternalSecretsProxy(),
		instanceBaseUrl: `${base}/`,
		formWaitingBaseUrl: `${base}/form-waiting`,
		webhookBaseUrl: `${base}/webhook`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		webhookTestBaseUrl: `${base}/webhook-test`,
	};
	return data as unknown as IWorkflowExecuteAdditionalData & typeof data;
}
