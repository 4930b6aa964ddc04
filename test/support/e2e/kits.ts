import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { ROOT } from '../../../tools/n8n';
import type { Credential, N8nClient, Workflow, WorkflowFile } from '../../../tools/n8n';
import { POLL_TIMES } from './polls';

/** The credential types that the nodes of the kits take, beside those that an HTTP Request names itself. */
const CREDENTIAL_TYPES: Record<string, string> = {
	'n8n-nodes-base.hubspot': 'hubspotAppToken',
	'n8n-nodes-base.pipedrive': 'pipedriveApi',
	'n8n-nodes-base.googleSheets': 'googleSheetsOAuth2Api',
};

/** What a user chooses and enters. */
interface KitChoices {
	credentials: Credential[];
	spreadsheet: string;
	/** Values for the node Settings, by name; those that a kit does not ask for are left out. */
	settings: Record<string, string>;
}

interface Assignments {
	assignments?: Array<{ name: string; value: unknown }>;
}

/**
 * Stores a kit of the examples as it is shipped: a user's own are only the credentials, the address of the spreadsheet,
 * what the node Settings asks for, and how often it polls.
 */
export async function importKit(
	n8n: N8nClient,
	file: string,
	{ credentials, spreadsheet, settings: entered }: KitChoices,
): Promise<Workflow> {
	const text = readFileSync(path.join(ROOT, 'examples', file), 'utf8');
	const { name, nodes, connections, settings } = JSON.parse(text) as WorkflowFile;
	for (const node of nodes) {
		const chosen = credentials.find(({ type }) => type === credentialTypeOf(node));
		if (chosen) node.credentials = { [chosen.type]: { id: chosen.id, name: chosen.name } };
		if (node.parameters.pollTimes) node.parameters.pollTimes = POLL_TIMES;
		const { assignments = [] } = (node.parameters.assignments ?? {}) as Assignments;
		for (const assignment of assignments)
			assignment.value = entered[assignment.name] ?? assignment.value;
		if (node.parameters.documentId)
			node.parameters.documentId = { __rl: true, mode: 'url', value: spreadsheet };
	}
	return await n8n.createWorkflow({ name, nodes, connections, ...(settings && { settings }) });
}

function credentialTypeOf({ type, parameters }: INode): string | undefined {
	if (type.startsWith('n8n-nodes-virtual-pbx.')) return 'virtualPbxApi';
	const { nodeCredentialType, genericAuthType } = parameters;
	return CREDENTIAL_TYPES[type] ?? ((nodeCredentialType ?? genericAuthType) as string | undefined);
}
