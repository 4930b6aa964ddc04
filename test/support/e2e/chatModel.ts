import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../../../tools/listen';

interface Message {
	role: string;
	content: unknown;
}

/** A request that an AI agent sent to its model. */
export interface ModelRequest {
	messages: Message[];
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
}

/** A chat model that calls one tool once and then gives the tool's answer back as its own. */
export interface ChatModel {
	url: string;
	requests: ModelRequest[];
	/** What the tool gave to the model. */
	toolAnswers(): string[];
	close(): Promise<void>;
}

/**
 * Starts a stand-in for an OpenAI-compatible chat model on a free port.
 *
 * @param toolArguments what the model calls the agent's first tool with
 */
export async function startChatModel(toolArguments: object): Promise<ChatModel> {
	const requests: ModelRequest[] = [];
	const server = createServer((incoming, response) => {
		void json(incoming).then((body) => {
			const request = body as ModelRequest;
			requests.push(request);
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(completion(request, toolArguments)));
		});
	});
	const { url, close } = await listen(server);
	return {
		url: `${url}/v1`,
		requests,
		toolAnswers: () =>
			(requests.at(-1)?.messages ?? [])
				.filter(({ role }) => role === 'tool')
				.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))),
		close,
	};
}

function completion({ messages, tools }: ModelRequest, toolArguments: object) {
	const isAnswered = messages.some(({ role }) => role === 'tool');
	const call = {
		id: 'call_1',
		type: 'function',
		function: { name: tools?.[0]?.function.name, arguments: JSON.stringify(toolArguments) },
	};
	const message = isAnswered
		? { role: 'assistant', content: 'Done.' }
		: { role: 'assistant', content: null, tool_calls: [call] };
	return {
		id: 'chat-1',
		object: 'chat.completion',
		created: 1,
		model: 'stand-in',
		choices: [{ index: 0, message, finish_reason: isAnswered ? 'stop' : 'tool_calls' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
