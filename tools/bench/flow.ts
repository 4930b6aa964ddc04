import path from 'node:path';
import type { IDataObject, INode } from 'n8n-workflow';
import { credentialOf, makeNode, ROOT, rowOf } from '../n8n';
import type { Credential, N8nClient } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';

/** Settings of a workflow whose executions are not stored, or the database is what is measured. */
export const UNSAVED = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' };

const STEPS = {
	step: [
		{ type: 'extension', extension: '100', ringing: { timeout: 20 } },
		{ type: 'voicemail', extension: '100' },
	],
};
/** What those steps become. */
const ANSWER = {
	operations: [
		{ type: 'extension', extension: '100', timeout: 20 },
		{ type: 'voicemail', extension: '100' },
	],
};

/** Environment of an n8n that knows the nodes that do as little as can be. */
export const WITH_FLOOR = { N8N_CUSTOM_EXTENSIONS: path.join(ROOT, 'tools/bench/floor') };

/** What a ratio to those nodes is against. */
export const FLOOR = {
	nodes: 'empty nodes (floor)',
	helper: "n8n's helper (floor)",
	renaming: "n8n's helper, same fields (floor)",
};

/** A node that reads an address for each item by n8n's own helper, as many at once as ours. */
export const floorReads = (url: string, credential: Credential, simplify = false): INode =>
	makeNode('Get', 'CUSTOM.floorReads', { url, simplify }, credentialOf(credential));

/** A node that streams an address by n8n's own helper into n8n's binary store. */
export const floorDownload = (url: string, credential: Credential): INode =>
	makeNode('Get', 'CUSTOM.floorDownload', { url }, credentialOf(credential));

/** A node of n8n's own. */
export const node = (name: string, type: string, typeVersion = 1, parameters = {}): INode =>
	makeNode(name, `n8n-nodes-base.${type}`, parameters, { typeVersion });

/** Stores a credential for the sandbox's account, or for a PBX that takes any. */
export const createCredential = async (client: N8nClient, baseUrl: string): Promise<Credential> =>
	await client.createCredential('virtualPbxApi', 'PBX of the bench', { baseUrl, ...SANDBOX_LOGIN });

/** A node that does nothing. */
export const noOperation = makeNode('Nothing', 'n8n-nodes-base.noOp');

/** Our action node. */
export const ourNode = (parameters: IDataObject, credential: Credential): INode =>
	makeNode('Get', 'virtualPbx', parameters, credentialOf(credential));

/** n8n's HTTP Request node, which asks with our credential. */
export const httpRequest = (url: string, credential: Credential, options = {}): INode => ({
	...node('Get', 'httpRequest', 4.2, {
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'virtualPbxApi',
		options,
	}),
	...credentialOf(credential),
});

/** n8n's Webhook node. */
export function webhook(
	responseMode: 'lastNode' | 'onReceived' | 'responseNode',
	httpMethod: 'GET' | 'POST' = 'GET',
): INode {
	const start = node('Start', 'webhook', 2.1, { httpMethod, responseMode, options: {} });
	return { ...start, parameters: { ...start.parameters, path: start.webhookId ?? '' } };
}

/** A node that makes an item with a single number. */
export const countNode = (value: string): INode =>
	node('Count', 'set', 3.4, {
		assignments: { assignments: [{ id: 'count', name: 'count', type: 'number', value }] },
		options: {},
	});

/**
 * The ways to answer a live call: our routing trigger with Respond, which has the answer in steps or as JSON; n8n's
 * Webhook with Respond to Webhook, which has it as JSON; and nodes that do nothing else. Ours waits long, so that every
 * answer is the workflow's own.
 */
export function answerFlows(): Record<'ours' | 'json' | 'theirs' | 'floor', INode[]> {
	const fallback = { step: [{ type: 'voicemail', extension: '999' }] };
	const patient = { connect: 'manual', deadline: 60, responseMode: 'responseNode', fallback };
	const responseBody = JSON.stringify(ANSWER);
	const answering = (answer: IDataObject) => [
		makeNode('Call', 'virtualPbxRoutingTrigger', patient, { typeVersion: 2 }),
		makeNode('Answer', 'virtualPbx', { resource: 'routing', operation: 'respond', ...answer }),
	];
	return {
		ours: answering({ steps: STEPS }),
		json: answering({ specifyAnswer: 'json', answer: responseBody }),
		theirs: [
			webhook('responseNode'),
			node('Respond', 'respondToWebhook', 1.5, { respondWith: 'json', responseBody, options: {} }),
		],
		floor: [
			makeNode('Call', 'CUSTOM.floorTrigger'),
			makeNode('Answer', 'CUSTOM.floorRespond', { answer: responseBody }),
		],
	};
}

/** Stores and activates a workflow of nodes in a row; returns the address of its first node. */
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
