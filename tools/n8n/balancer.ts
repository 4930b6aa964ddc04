import { createServer, request, ServerResponse } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { listen } from '../listen';

/** Distributes requests among the processes of a cluster. */
export interface Balancer {
	url: string;
	/**
	 * Production webhooks and forms are distributed. An MCP server's sessions go to the first webhook process,
	 * since only one process knows a session. Everything else goes to `main`. Set once the processes
	 * run.
	 */
	targets: { main: string; webhooks: string[] };
	close(): Promise<void>;
}

const PRODUCTION = /^\/(webhook|form)(-waiting)?\//;
const SESSIONS = /^\/mcp\//;

/** Starts a load balancer on a free port. It routes paths as n8n's documentation describes. */
export async function startBalancer(): Promise<Balancer> {
	const targets: Balancer['targets'] = { main: '', webhooks: [] };
	let turn = 0;
	const choose = (path: string): string => {
		const { webhooks, main } = targets;
		if (PRODUCTION.test(path)) return webhooks[turn++ % webhooks.length] ?? main;
		return (SESSIONS.test(path) ? webhooks[0] : undefined) ?? main;
	};
	// No keep-alive: n8n closes an idle connection after 5 seconds, possibly just as it's reused.
	const forward = (incoming: IncomingMessage, target: string) =>
		request(new URL(incoming.url ?? '', target), {
			method: incoming.method ?? 'GET',
			headers: incoming.headers,
			agent: false,
		});
	const server = createServer((incoming, response) => {
		const outgoing = forward(incoming, choose(incoming.url ?? ''));
		passOn(outgoing, response);
		incoming.pipe(outgoing);
	});
	// WebSockets of the editor and of chats.
	server.on('upgrade', (incoming, socket, early) => {
		const outgoing = forward(incoming, targets.main);
		const refusal = new ServerResponse(incoming);
		refusal.shouldKeepAlive = false;
		refusal.assignSocket(socket as Socket);
		refusal.on('finish', () => socket.end());
		passOn(outgoing, refusal);
		outgoing.on('upgrade', ({ rawHeaders }, other, first) => {
			refusal.detachSocket(socket as Socket);
			const pairs = rawHeaders.map((text, index) => text + (index % 2 ? '\r\n' : ': ')).join('');
			socket.write(`HTTP/1.1 101 Switching Protocols\r\n${pairs}\r\n`);
			// Frames that came together with the headers.
			socket.write(first);
			other.write(early);
			pipeline(socket, other, socket, () => undefined);
		});
		outgoing.end();
	});
	return { targets, ...(await listen(server)) };
}

/** Passes a process's response on to the client, or 502 if the process ends without one. */
function passOn(outgoing: ClientRequest, response: ServerResponse): void {
	outgoing.on('response', (answer) => {
		response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
		pipeline(answer, response, () => undefined);
	});
	outgoing.on('error', () => {
		if (response.headersSent) response.destroy();
		else response.writeHead(502).end();
	});
	response.on('close', () => outgoing.destroy());
}
