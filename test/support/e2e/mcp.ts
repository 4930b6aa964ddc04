import type { IDataObject } from 'n8n-workflow';

/** Talks to an MCP server over HTTP as an assistant does: one session for one request. */
async function ask(server: string, method: string, params: IDataObject): Promise<IDataObject> {
	const start = await send(server, {
		id: 1,
		method: 'initialize',
		params: {
			protocolVersion: '2025-03-26',
			capabilities: {},
			clientInfo: { name: 'tests', version: '1' },
		},
	});
	const session = start.headers.get('mcp-session-id') ?? '';
	await start.text();
	await (await send(server, { method: 'notifications/initialized' }, session)).text();
	const answer = await send(server, { id: 2, method, params }, session);
	return messageIn(await answer.text());
}

async function send(server: string, message: IDataObject, session = ''): Promise<Response> {
	return await fetch(server, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			...(session && { 'mcp-session-id': session }),
		},
		body: JSON.stringify({ jsonrpc: '2.0', ...message }),
	});
}

/** The message in a JSON answer, or in the last event of a stream. */
function messageIn(text: string): IDataObject {
	const data = text
		.split('\n')
		.filter((line) => line.startsWith('data:'))
		.map((line) => line.slice('data:'.length));
	const { result, error } = JSON.parse(data.at(-1) ?? text) as IDataObject;
	if (error !== undefined) throw new Error(`The MCP server answered: ${JSON.stringify(error)}`);
	return result as IDataObject;
}

/** The names of the tools that a server offers. */
export async function listTools(server: string): Promise<string[]> {
	const { tools } = await ask(server, 'tools/list', {});
	return (tools as IDataObject[]).map(({ name }) => String(name));
}

/** Calls a tool; gives its answer as text. */
export async function callTool(
	server: string,
	name: string,
	parameters: IDataObject,
): Promise<string> {
	return JSON.stringify(await ask(server, 'tools/call', { name, arguments: parameters }));
}
