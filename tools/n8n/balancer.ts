import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on to the processes of a cluster. */
export interface Balancer {
	url: string;
	/**
	 * Production webhooks go to these in turn, an MCP server's sessions to the first of them, since only one process knows a
	 * session, and everything else to `main`. They are set when known.
	 */
	targets: { main: string; webhooks: string[] };
	close(): Promise<void>;
}

const PRODUCTION = /^\/webhook(-waiting)?\//;
const SESSIONS = /^\/mcp\//;

/** Starts a load balancer on a free port, which sends paths where n8n's documentation wants them. */
export async function startBalancer(): Promise<Balancer> {
	const targets: Balancer['targets'] = { main: '', webhooks: [] };
	let turn = 0;
	const choose = (path: string): string => {
		const { webhooks, main } = targets;
		if (PRODUCTION.test(path)) return webhooks[turn++ % webhooks.length] ?? main;
		return (SESSIONS.test(path) ? webhooks[0] : undefined) ?? main;
	};
	const server = createServer((incoming, response) => {
		pass(incoming, response, choose(incoming.url ?? ''));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		targets,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function pass(incoming: IncomingMessage, response: ServerResponse, target: string): void {
	const { method, headers, url = '/' } = incoming;
	const outgoing = request(new URL(url, target), { method: method ?? 'GET', headers }, (answer) => {
		response.writeHead(answer.statusCode ?? 502, answer.headers);
		answer.pipe(response);
	});
	outgoing.on('error', () => {
		if (response.headersSent) response.destroy();
		else response.writeHead(502).end();
	});
	incoming.pipe(outgoing);
}
