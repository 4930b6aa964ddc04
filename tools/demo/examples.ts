import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { ROOT } from '../n8n';
import type { Credential, N8nClient, Workflow, WorkflowFile } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';

const FOLDER = path.join(ROOT, 'examples');
const CREDENTIAL_TYPE = 'virtualPbxApi';
const CREDENTIAL_NAME = 'Sandbox PBX';

/** The example that the demo activates and shows. */
export const MAIN_EXAMPLE = 'call-ended-to-crm.json';

/** Stores the credential for the sandbox, or points the one of an earlier run at it. */
export async function ensureCredential(client: N8nClient, sandboxUrl: string): Promise<Credential> {
	const data = { baseUrl: sandboxUrl, ...SANDBOX_LOGIN };
	const found = (await client.listCredentials()).find(
		({ name, type }) => name === CREDENTIAL_NAME && type === CREDENTIAL_TYPE,
	);
	if (found) return await client.updateCredential(found, data);
	return await client.createCredential(CREDENTIAL_TYPE, CREDENTIAL_NAME, data);
}

/** An example's nodes with the demo's credential and with the sandbox's present address. */
export function fitNodes(nodes: INode[], credential: Credential, sandboxUrl: string): INode[] {
	const text = JSON.stringify(nodes).replace(
		/http:\/\/(127\.0\.0\.1|localhost):\d+(?=\/sandbox\/)/g,
		sandboxUrl,
	);
	return (JSON.parse(text) as INode[]).map((node) => {
		if (!node.type.startsWith('n8n-nodes-virtual-pbx.') && !node.credentials?.[CREDENTIAL_TYPE])
			return node;
		const { id, name } = credential;
		return { ...node, credentials: { ...node.credentials, [CREDENTIAL_TYPE]: { id, name } } };
	});
}

/**
 * Imports every workflow of the examples folder that n8n does not have yet; one that it has keeps its edits and
 * only gets the sandbox's address. Returns them by file name.
 */
export async function importExamples(
	client: N8nClient,
	credential: Credential,
	sandboxUrl: string,
): Promise<Map<string, Workflow>> {
	const present = await client.listWorkflows();
	const imported = new Map<string, Workflow>();
	for (const file of (await readdir(FOLDER)).filter((name) => name.endsWith('.json'))) {
		const example = JSON.parse(await readFile(path.join(FOLDER, file), 'utf8')) as WorkflowFile;
		const known = present.find(({ name }) => name === example.name);
		imported.set(
			file,
			known
				? await refit(client, known.id, credential, sandboxUrl)
				: await client.createWorkflow(
						pick(example, fitNodes(example.nodes, credential, sandboxUrl)),
					),
		);
	}
	return imported;
}

function pick({ name, connections, settings }: WorkflowFile, nodes: INode[]): WorkflowFile {
	return { name, nodes, connections, ...(settings && { settings }) };
}

async function refit(
	client: N8nClient,
	id: string,
	credential: Credential,
	sandboxUrl: string,
): Promise<Workflow> {
	const workflow = await client.getWorkflow(id);
	const nodes = fitNodes(workflow.nodes, credential, sandboxUrl);
	if (JSON.stringify(nodes) === JSON.stringify(workflow.nodes)) return workflow;
	return await client.updateWorkflow(id, { nodes, connections: workflow.connections });
}
