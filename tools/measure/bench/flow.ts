import type { IDataObject, INode } from 'n8n-workflow';
import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox';
import { withCleanups } from '../../cleanups';
import { credentialOf, makeNode, rowOf, startN8n } from '../../n8n';
import type { Credential, N8nClient, N8nProcess } from '../../n8n';
import { SANDBOX_LOGIN } from '../../sandbox-client';

/** Doesn't store executions, so that the database isn't measured. */
export const UNSAVED = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' };

/** Starts a sandbox PBX and n8n, passes them to `work`, and stops them. */
export async function withBed<T>(
	work: (bed: { sandbox: Sandbox; n8n: N8nProcess; client: N8nClient }) => Promise<T>,
	env: Record<string, string> = {},
): Promise<T> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const n8n = await startN8n({ env: { N8N_LOG_LEVEL: 'error', ...env } });
		later(async () => await n8n.dispose());
		return await work({ sandbox, n8n, client: await n8n.signIn() });
	});
}

/** Returns one of n8n's own nodes. */
export const node = (name: string, type: string, typeVersion = 1, parameters = {}): INode =>
	makeNode(name, `n8n-nodes-base.${type}`, parameters, { typeVersion });

/** A node that does nothing. */
export const noOperation = node('Nothing', 'noOp');

/** Stores a credential for the sandbox's account, or for a PBX that accepts any. */
export const createCredential = async (client: N8nClient, baseUrl: string): Promise<Credential> =>
	await client.createCredential('virtualPbxApi', 'PBX of the bench', { baseUrl, ...SANDBOX_LOGIN });

/** Returns this package's action node. */
export const ourNode = (parameters: IDataObject, credential: Credential): INode =>
	makeNode('Get', 'virtualPbx', parameters, credentialOf(credential));

/** Returns an HTTP Request node that uses this package's credential. */
export const httpRequest = (url: string, credential: Credential, options = {}): INode => ({
	...node('Get', 'httpRequest', 4.2, {
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'virtualPbxApi',
		options,
	}),
	...credentialOf(credential),
});

/** Returns n8n's Webhook node. */
export function webhook(
	responseMode: 'lastNode' | 'onReceived' | 'responseNode',
	httpMethod: 'GET' | 'POST' = 'GET',
): INode {
	const start = node('Start', 'webhook', 2.1, { httpMethod, responseMode, options: {} });
	return { ...start, parameters: { ...start.parameters, path: start.webhookId ?? '' } };
}

/** Returns a node that outputs one item with a number. */
export const countNode = (value: string): INode =>
	node('Count', 'set', 3.4, {
		assignments: { assignments: [{ id: 'count', name: 'count', type: 'number', value }] },
		options: {},
	});

/** Stores and activates a workflow of chained nodes. Returns the URL of its first node. */
export async function activate(
	client: N8nClient,
	nodes: INode[],
	settings: IDataObject = {},
): Promise<string> {
	const [first] = nodes;
	const { id } = await client.createWorkflow(rowOf(`Benchmark: ${first?.type}`, nodes, settings));
	await client.activate(id);
	const isOurs = first?.parameters.path === undefined;
	return `${client.rest.url}/webhook/${first?.webhookId}${isOurs ? '/routing' : ''}`;
}
