import type {
	ICredentialDataDecryptedObject as CredentialData,
	IDataObject,
	INode,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';
import type { Checkout } from './checkout';

/** Another node of the workflow. Nodes of other packages do nothing. */
export interface OtherNode {
	name: string;
	type: string;
	parameters?: INode['parameters'];
}

/** Creates a workflow that chains one of this package's nodes with others before and after it. */
export function makeWorkflow(
	{ workflow: { Workflow }, nodes }: Checkout,
	node: INode,
	{ id, before, after, staticData }: WorkflowSetup,
): Workflow {
	const whole = (other: OtherNode) => ({ ...node, id: other.name, parameters: {}, ...other });
	const row = [...before.map(whole), node, ...after.map(whole)];
	const connections = Object.fromEntries(
		row
			.slice(0, -1)
			.map(({ name }, at) => [
				name,
				{ main: [[{ node: row[at + 1]?.name ?? '', type: 'main' as const, index: 0 }]] },
			]),
	);
	const nothing = { description: { properties: [], inputs: ['main'], outputs: ['main'] } };
	const byName = (name: string) => nodes[name.split('.')[1] ?? ''] ?? (nothing as never);
	return new Workflow({
		id: `workflow-${id}`,
		name: 'Calls',
		nodes: structuredClone(row),
		connections,
		active: true,
		nodeTypes: { getByName: byName, getByNameAndVersion: byName, getKnownTypes: () => ({}) },
		settings: { executionOrder: 'v1' },
		staticData,
	});
}

interface WorkflowSetup {
	id: string;
	before: OtherNode[];
	after: OtherNode[];
	staticData: IDataObject;
}

const ADDRESSES = ['form', 'formWaiting', 'formTest', 'webhook', 'webhookWaiting', 'webhookTest'];

/** Provides what an execution needs besides the workflow: credentials and n8n's addresses. */
export function additionalDataOf(
	{ credential }: Checkout,
	stored: CredentialData,
	workflowId: string,
	hooks: object,
): IWorkflowExecuteAdditionalData {
	const base = 'https://n8n.example';
	const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
	return {
		...Object.fromEntries(ADDRESSES.map((name) => [`${name}BaseUrl`, `${base}/${kebab(name)}`])),
		...{ restApiUrl: `${base}/rest`, instanceBaseUrl: `${base}/` },
		credentialsHelper: helperOf(credential, stored),
		...{ hooks, workflowId, executionId: 'execution', currentNodeExecutionIndex: 0, variables: {} },
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** Handles a credential as n8n does: defaults, a login if the token is missing or rejected, and storing the token. */
function helperOf(type: Checkout['credential'], stored: CredentialData) {
	const defaults = Object.fromEntries(type.properties.map((one) => [one.name, one.default]));
	const authenticate = type.authenticate as (data: CredentialData, options: never) => unknown;
	return {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		getDecrypted: async () => ({ ...defaults, ...stored }),
		getCredentialsProperties: () => type.properties,
		authenticate: async (data: CredentialData, _type: string, options: never) =>
			await authenticate.call(type, data, options),
		preAuthentication: async (helpers: never, data: CredentialData, ...rest: unknown[]) => {
			if (data.authToken !== '' && rest[2] !== true) return undefined;
			const output = (await type.preAuthentication?.call(helpers, data)) as CredentialData;
			Object.assign(stored, output);
			return Object.assign(data, output);
		},
		updateCredentials: async (_details: unknown, _type: string, data: CredentialData) =>
			void Object.assign(stored, data),
	};
}
