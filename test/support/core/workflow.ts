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
	nodeId?: string;
	disabled?: boolean;
}

/** The test's instance URL of n8n. */
const DEFAULT_INSTANCE_URL = 'http://127.0.0.1:5678/';

/** Creates a full n8n node from a test's short form. */
export function makeNode(node: TestNode): INode {
	const type = fullTypeName(node.type);
	return {
		id: node.nodeId ?? randomUUID(),
		name: node.name ?? type.slice(type.lastIndexOf('.') + 1),
		type,
		typeVersion: node.typeVersion ?? 1,
		position: [0, 0],
		parameters: node.parameters ?? {},
		...(node.credential && { credentials: node.credential.reference }),
		...(node.onError && { onError: node.onError }),
		...(node.webhookId && { webhookId: node.webhookId }),
		...(node.disabled && { disabled: true }),
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
		id: 'test-workflow',
		name: 'Test workflow',
		nodes,
		connections,
		active: false,
		nodeTypes,
		settings: { executionOrder: 'v1' },
		staticData: {},
		...more,
	});
}

const unsupported = (what: string) => async (): Promise<never> => {
	throw new Error(`${what} is not supported in contract tests; use an end-to-end test`);
};

/** Builds what n8n adds to every execution: credentials, its own addresses, hooks. */
export function makeAdditionalData(
	workflow: Workflow,
	mode: WorkflowExecuteMode,
	instanceUrl = DEFAULT_INSTANCE_URL,
): IWorkflowExecuteAdditionalData & { hooks: ExecutionLifecycleHooks } {
	const base = instanceUrl.replace(/\/+$/, '');
	const workflowData: IWorkflowBase = {
		id: workflow.id,
		name: workflow.name ?? '',
		active: false,
		activeVersionId: null,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		nodes: Object.values(workflow.nodes),
		connections: workflow.connectionsBySourceNode,
	};
	return {
		credentialsHelper: new TestCredentialsHelper(),
		hooks: new ExecutionLifecycleHooks(mode, 'test-execution', workflowData),
		executionId: 'test-execution',
		workflowId: workflow.id,
		currentNodeExecutionIndex: 0,
		variables: {},
		externalSecretsProxy: new ExternalSecretsProxy(),
		restApiUrl: `${base}/rest`,
		instanceBaseUrl: `${base}/`,
		formBaseUrl: `${base}/form`,
		formWaitingBaseUrl: `${base}/form-waiting`,
		formTestBaseUrl: `${base}/form-test`,
		webhookBaseUrl: `${base}/webhook`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		webhookTestBaseUrl: `${base}/webhook-test`,
		mcpBaseUrl: `${base}/mcp`,
		mcpTestBaseUrl: `${base}/mcp-test`,
		logAiEvent: () => undefined,
		executeWorkflow: unsupported('A sub-workflow'),
		startRunnerTask: unsupported('A task runner'),
		getRunExecutionData: async () => undefined,
		getRuntimeCredential: async () => undefined,
	};
}
