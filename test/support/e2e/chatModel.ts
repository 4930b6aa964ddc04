import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../tools/listen';

interface Message {
	role: string;
	content: unknown;
}

/** A request that an AI agent or chain sent to its model. */
export interface ModelRequest {
	messages: Message[];
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
}

/** A model's response: a text, a tool to call with its input, or an error status. */
export type Thought = string | { tool: string; input: object } | { status: number };

/** A simulated OpenAI-compatible service. */
export type ChatModel = Awaited<ReturnType<typeof startChatModel>>;

/**
 * Starts a simulated OpenAI-compatible service: a chat model that responds with a function's thoughts,
 * and speech-to-text.
 */
export async function startChatModel(
	think: (request: ModelRequest) => Thought,
	transcribe: () => string = () => '',
) {
	const requests: ModelRequest[] = [];
	/** The sound files it received to transcribe. */
	const sounds: Buffer[] = [];
	const server = createServer((incoming, response) => {
		void buffer(incoming).then((body) => {
			response.setHeader('content-type', 'application/json');
			if (incoming.url?.endsWith('/audio/transcriptions')) {
				sounds.push(fileIn(incoming, body));
				return response.end(JSON.stringify({ text: transcribe() }));
			}
			const request = JSON.parse(body.toString()) as ModelRequest;
			requests.push(request);
			const thought = think(request);
			if (typeof thought === 'object' && 'status' in thought) {
				response.statusCode = thought.status;
				return response.end(JSON.stringify({ error: { message: 'The mock model fails' } }));
			}
			return response.end(JSON.stringify(completion(thought)));
		});
	});
	const { url, close } = await listen(server);
	return { url: `${url}/v1`, requests, sounds, close };
}

/** Returns the bytes of a form's part named `file`. */
function fileIn({ headers }: IncomingMessage, body: Buffer): Buffer {
	const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
	const start = body.indexOf('\r\n\r\n', body.indexOf('name="file"')) + 4;
	return body.subarray(start, body.indexOf(`\r\n--${boundary}`, start));
}

function completion(thought: Exclude<Thought, { status: number }>) {
	const isText = typeof thought === 'string';
	const answer = isText ? { content: thought } : { content: null, tool_calls: [callOf(thought)] };
	const message = { role: 'assistant', ...answer };
	return {
		...{ id: 'chat-1', object: 'chat.completion', created: 1, model: 'mock' },
		choices: [{ index: 0, message, finish_reason: isText ? 'stop' : 'tool_calls' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

const callOf = ({ tool, input }: { tool: string; input: object }) => ({
	id: 'call_1',
	type: 'function',
	function: { name: tool, arguments: JSON.stringify(input) },
});
