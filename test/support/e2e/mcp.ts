import type { IDataObject } from 'n8n-workflow';

/** An MCP server's address, and the assistant's token, if any. */
export interface McpServer {
	url: string;
	token?: string;
}

const HELLO = {
	id: 1,
	method: 'initialize',
	params: {
		protocolVersion: '2025-03-26',
		capabilities: {},
		clientInfo: { name: 'tests', version: '1' },
	},
};

/** Sends a request to an MCP server over HTTP as an assistant does, in its own session. */
async function ask(server: McpServer, method: string, params: IDataObject): Promise<IDataObject> {
	const start = await send(server, HELLO);
	const session = start.headers.get('mcp-session-id') ?? '';
	await start.text();
	await (await send(server, { method: 'notifications/initialized' }, session)).text();
	const response = await send(server, { id: 2, method, params }, session);
	return messageIn(await response.text());
}

async function send(
	{ url, token }: McpServer,
	message: IDataObject,
	session = '',
): Promise<Response> {
	return await fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			...(token && { authorization: `Bearer ${token}` }),
			...(session && { 'mcp-session-id': session }),
		},
		body: JSON.stringify({ jsonrpc: '2.0', ...message }),
	});
}

/** Reads the message of a JSON response, or of a stream's last event. */
function messageIn(text: string): IDataObject {
	const data = text
		.split('\n')
		.filter((line) => line.startsWith('data:'))
		.map((line) => line.slice('data:'.length));
	const { result, error } = JSON.parse(data.at(-1) ?? text) as IDataObject;
	if (error !== undefined)
		throw new Error(`The MCP server responded with an error: ${JSON.stringify(error)}`);
	return result as IDataObject;
}

/** Starts a session as an assistant does. Returns the HTTP status. */
export const statusOf = async (server: McpServer): Promise<number> =>
	(await send(server, HELLO)).status;

/** Starts a session as an assistant does. Returns the server's instructions. */
export const instructionsOf = async (server: McpServer): Promise<string> =>
	String(messageIn(await (await send(server, HELLO)).text()).instructions);

/** Returns the names of a server's tools. */
export async function listTools(server: McpServer): Promise<string[]> {
	const { tools } = await ask(server, 'tools/list', {});
	return (tools as IDataObject[]).map(({ name }) => String(name));
}

/** Calls a tool and returns its result. */
export const askTool = async (server: McpServer, name: string, parameters: IDataObject) =>
	await ask(server, 'tools/call', { name, arguments: parameters });

/** Calls a tool and returns its items. */
export async function itemsOf(...call: Parameters<typeof askTool>): Promise<IDataObject[]> {
	const { content } = await askTool(...call);
	const [{ text = '' } = {}] = content as Array<{ text?: string }>;
	return [JSON.parse(text) as IDataObject | IDataObject[]].flat();
}
