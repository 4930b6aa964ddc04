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

/** A node of a test's workflow; only its type is needed. */
export interface TestNode {
	/** `virtualPbx`, or a full name for a type of the test's own. */
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

/** Where the "n8n" of a test says that it is reachable. */
export const DEFAULT_INSTANCE_URL = 'http://127.0.0.1:5678/';

/** Makes a full n8n node of a test's short form. */
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

/** Makes n8n's Workflow, which also fills in the default of every parameter. */
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

/** What n8n gives to every execution besides the workflow: credentials, its own addresses, hooks. */
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
