import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on to the processes of a cluster. */
export interface Balancer {
	url: string;
	/** Production webhooks go to these in turn, everything else to `main`; they are set when known. */
	targets: { main: string; webhooks: string[] };
	close(): Promise<void>;
}

const PRODUCTION = /^\/webhook(-waiting)?\//;

/** Starts a load balancer on a free port, which sends paths where n8n's documentation wants them. */
export async function startBalancer(): Promise<Balancer> {
	const targets: Balancer['targets'] = { main: '', webhooks: [] };
	let turn = 0;
	const server = createServer((incoming, response) => {
		const { webhooks, main } = targets;
		const isProduction = PRODUCTION.test(incoming.url ?? '');
		const target = isProduction ? webhooks[turn++ % webhooks.length] : main;
		pass(incoming, response, target ?? main);
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
