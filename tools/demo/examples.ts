import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';
import { ROOT } from '../n8n';
import type { Credential, N8nClient, Workflow, WorkflowFile } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';

const FOLDER = path.join(ROOT, 'examples');
const PBX_TYPE = 'virtualPbxApi';

/** Credential types of nodes whose parameters don't name them. */
const TYPES_OF_NODES: Record<string, string> = {
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
	'@n8n/n8n-nodes-langchain.openAi': 'openAiApi',
	'n8n-nodes-base.awsS3': 'aws',
	'n8n-nodes-base.crypto': 'crypto',
	'n8n-nodes-base.emailSend': 'smtp',
	'n8n-nodes-base.googleDrive': 'googleDriveOAuth2Api',
	'n8n-nodes-base.pipedrive': 'pipedriveApi',
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.telegram': 'telegramApi',
	'n8n-nodes-base.twilio': 'twilioApi',
};
const TYPES_OF_AUTHENTICATIONS: Record<string, string> = {
	basicAuth: 'httpBasicAuth',
	bearerAuth: 'httpBearerAuth',
};

/** The example that the demo publishes and shows. */
export const MAIN_EXAMPLE = 'every-call-once.json';

/** The tags of the demo's workflows, in the order of n8n's list. */
const TAGS: Record<string, string[]> = {
	'Start here': [MAIN_EXAMPLE, 'calls-to-data-table.json'],
	'Missed calls': ['call-back-desk.json', 'missed-call-text-back.json'],
	'Who is calling': ['who-is-calling.json', 'click-to-call.json', 'live-board.json'],
	'Route calls': [
		...['business-hours-and-holidays.json', 'route-by-caller.json', 'responsible-manager.json'],
		...['round-robin.json', 'on-call-switch.json'],
		...['routing-decision.json', 'routing-rehearsal.json'],
	],
	'Recordings and CRM': ['calls-with-recordings-to-crm.json', 'recording-link.json'],
	AI: [
		...['ask-the-pbx.json', 'recording-to-summary.json'],
		...['talk-review.json', 'talk-review-test.json'],
	],
	'Keep watch': ['webhook-health-alert.json', 'call-watch.json', 'callflow-backup.json'],
};

/** The token that an AI assistant sends to the demo. Like the owner's password, it is no secret. */
export const ASSISTANT_TOKEN = 'sandbox-assistant';

/** The example whose page shows who is calling. */
export const BOARD_EXAMPLE = 'live-board.json';

/** The login for the demo's board and forms. It is no secret either. */
export const BOARD_LOGIN = { user: 'sandbox', password: 'sandbox' };

/** The key that signs links to recordings in the demo. */
const LINK_SECRET = 'sandbox-recordings';

/** Creates the sandbox's credential, or updates the address in the one from an earlier run. */
export const ensureCredential = async (client: N8nClient, baseUrl: string): Promise<Credential> =>
	await ensure(client, PBX_TYPE, 'Sandbox PBX', { baseUrl, ...SANDBOX_LOGIN });

async function ensure(
	client: N8nClient,
	type: string,
	name: string,
	data: ICredentialDataDecryptedObject,
): Promise<Credential> {
	const stored = await client.listCredentials();
	const found = stored.find((one) => one.name === name && one.type === type);
	if (found) return await client.updateCredential(found, data);
	return await client.createCredential(type, name, data);
}

/**
 * Adapts an example's nodes: the sandbox's current address and the stored credentials. An empty path becomes a random
 * one, as when the editor imports the file.
 */
function fitNodes(nodes: INode[], credentials: Credential[], sandboxUrl: string): INode[] {
	const address = /http:\/\/(127\.0\.0\.1|localhost):\d+(?=\/sandbox\/|")/g;
	const fitted = JSON.parse(JSON.stringify(nodes).replace(address, sandboxUrl)) as INode[];
	return fitted.map((node) => {
		const { parameters } = node;
		if (parameters.path === '') parameters.path = randomUUID();
		const wanted = credentialTypeOf(node);
		const credential = credentials.find(({ type }) => type === wanted);
		if (!credential) return node;
		const { type, id, name } = credential;
		return { ...node, credentials: { [type]: { id, name } } };
	});
}

export function credentialTypeOf({ type, parameters }: INode): unknown {
	if (type.startsWith('n8n-nodes-virtual-pbx.')) return PBX_TYPE;
	const { authentication, nodeCredentialType, genericAuthType } = parameters;
	const own = TYPES_OF_NODES[type] ?? TYPES_OF_AUTHENTICATIONS[String(authentication)];
	return own ?? nodeCredentialType ?? genericAuthType;
}

/** Reads a workflow of the examples folder, adapted by {@link fitNodes}. */
export async function readExample(
	file: string,
	credentials: Credential[],
	sandboxUrl: string,
): Promise<WorkflowFile> {
	const text = await readFile(path.join(FOLDER, file), 'utf8');
	const example = JSON.parse(text) as WorkflowFile;
	return { ...example, nodes: fitNodes(example.nodes, credentials, sandboxUrl) };
}

/** Publishes or republishes a workflow: the sandbox starts without webhooks, possibly at another address. */
export async function publish(client: N8nClient, workflow: Workflow): Promise<Workflow> {
	if (workflow.active) await client.deactivate(workflow.id);
	return await client.activate(workflow.id);
}

/**
 * Creates the live board's data table, and publishes the workflow that writes the calls and serves the page. Returns the
 * page's address.
 */
export async function publishBoard(client: N8nClient, board: Workflow): Promise<string> {
	await client.runManually(board, 'Set Up');
	await client.waitForExecutions(board.id);
	await publish(client, board);
	const page = board.nodes.find(({ name }) => name === 'Open Board');
	return `${client.rest.url}/webhook/${String(page?.parameters.path)}`;
}

/**
 * Imports every workflow of the examples folder that n8n doesn't have yet. Existing workflows keep their edits and get
 * only the sandbox's address. MCP servers get {@link ASSISTANT_TOKEN}, the board and forms {@link BOARD_LOGIN}. Returns
 * the workflows by file name.
 */
export async function importExamples(
	client: N8nClient,
	credential: Credential,
	sandboxUrl: string,
): Promise<Map<string, Workflow>> {
	const credentials = [
		credential,
		await ensure(client, 'httpBearerAuth', 'Assistant', { token: ASSISTANT_TOKEN }),
		await ensure(client, 'crypto', 'Recording links', { hmacSecret: LINK_SECRET }),
		await ensure(client, 'httpBasicAuth', 'Board and forms', BOARD_LOGIN),
	];
	const present = await client.listWorkflows();
	// Expressions such as “today” use this machine's time zone.
	const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
	const imported = new Map<string, Workflow>();
	const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));
	const order = Object.values(TAGS).flat();
	// n8n lists the newest workflow first, so that the first one is imported last.
	files.sort((one, other) => order.indexOf(other) - order.indexOf(one));
	const tagOf = await ensureTags(client);
	for (const file of files) {
		const example = await readExample(file, credentials, sandboxUrl);
		const known = present.find(({ name }) => name === example.name);
		const settings = { timezone, ...example.settings };
		imported.set(
			file,
			known
				? await refit(client, known.id, credentials, sandboxUrl)
				: await client.createWorkflow({ ...example, settings, tags: tagOf.get(file) ?? [] }),
		);
	}
	return imported;
}

/** Creates the tags that n8n doesn't have yet. Returns the IDs of each file's tags. */
async function ensureTags({ rest }: N8nClient): Promise<Map<string, string[]>> {
	const stored = await rest.request<Array<{ id: string; name: string }>>('GET', 'tags');
	const found = new Map<string, string[]>();
	for (const [name, files] of Object.entries(TAGS)) {
		const known = stored.find((tag) => tag.name === name);
		const { id } = known ?? (await rest.request<{ id: string }>('POST', 'tags', { name }));
		for (const file of files) found.set(file, [id]);
	}
	return found;
}

async function refit(
	client: N8nClient,
	id: string,
	credentials: Credential[],
	sandboxUrl: string,
): Promise<Workflow> {
	const workflow = await client.getWorkflow(id);
	const nodes = fitNodes(workflow.nodes, credentials, sandboxUrl);
	if (JSON.stringify(nodes) === JSON.stringify(workflow.nodes)) return workflow;
	return await client.updateWorkflow(id, { nodes, connections: workflow.connections });
}
