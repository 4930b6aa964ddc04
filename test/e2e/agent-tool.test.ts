import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import type { Credential, N8nClient } from '../../tools/n8n';
import { connect, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { actionNode, chainOf, errorOf, runChain } from '../support/e2e/chain';
import { callOnce, startChatModel } from '../support/e2e/chatModel';
import type { ChatModel } from '../support/e2e/chatModel';

let n8n: N8nClient;
let pbx: TestPbx;
let model: ChatModel;
let credential: Credential;

beforeAll(async () => {
	[n8n, pbx, model] = await Promise.all([
		connect(),
		startPbx(),
		startChatModel(callOnce({ limit: 1 })),
	]);
	credential = await n8n.createCredential('virtualPbxApi', 'PBX of the agent', pbx.account);
	await pbx.client.call({
		from: '74951234567',
		to: '74950000100',
		ring_seconds: 0,
		talk_seconds: 5,
		speed: 100,
		wait: 'delivered',
	});
});
afterAll(async () => {
	await model.close();
	await pbx.sandbox.close();
});

const langchain = (
	name: string,
	type: string,
	typeVersion: number,
	parameters: INodeParameters,
): INode => ({
	id: randomUUID(),
	name,
	type: `@n8n/n8n-nodes-langchain.${type}`,
	typeVersion,
	position: [0, 0],
	parameters,
});

/** Lets an agent use our node as its only tool. Returns what the tool answered. */
async function askAgent(operation: string, parameters: INodeParameters): Promise<unknown> {
	const key = await n8n.createCredential('openAiApi', 'Stand-in model', {
		apiKey: 'none',
		url: model.url,
	});
	const tool: INode = {
		...actionNode(
			[
				'Call records',
				operation,
				{ limit: '={{ $fromAI("limit", "how many", "number") }}', ...parameters },
			],
			credential,
		),
		type: 'n8n-nodes-virtual-pbx.virtualPbxTool',
	};
	const chat: INode = {
		...langchain('Model', 'lmChatOpenAi', 1.2, {
			model: { __rl: true, mode: 'id', value: 'stand-in' },
			options: {},
		}),
		credentials: { openAiApi: { id: key.id, name: key.name } },
	};
	const agent = langchain('Agent', 'agent', 2, {
		promptType: 'define',
		text: 'Who called last?',
		options: {},
	});
	const file = chainOf('Agent', [agent]);
	const connections: IConnections = {
		...file.connections,
		[chat.name]: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
		[tool.name]: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
	};
	const execution = await runChain(n8n, {
		...file,
		nodes: [...file.nodes, chat, tool],
		connections,
	});

	expect(errorOf(execution)).toBeUndefined();
	expect(model.requests.at(-1)?.tools).toHaveLength(1);
	return JSON.parse(model.toolAnswers().at(-1) ?? '');
}

describe('as a tool of an AI agent', () => {
	it('call records have only the callId and the fields that were chosen', async () => {
		const selectedFields = ['customerNumber', 'outcome', 'hangupReason', 'BILLING_SECONDS'];
		expect(await askAgent('cdr:getMany', { output: 'selectedFields', selectedFields })).toEqual([
			{
				callId: expect.any(String),
				customerNumber: '74951234567',
				outcome: 'answered',
				hangupReason: 'Ended normally',
				BILLING_SECONDS: '5',
			},
		]);
	});

	it('calls have them, too, those in details included', async () => {
		const chosen = { output: 'selectedFields', selectedFields: ['outcome', 'legCount'] };
		expect(await askAgent('call:getMany', chosen)).toEqual([
			{ callId: expect.any(String), outcome: 'answered', legCount: 2 },
		]);
	});
});
