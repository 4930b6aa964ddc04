import { createServer } from 'node:http';
import { createProxyServer } from 'http-proxy-3';
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
	const proxy = createProxyServer();
	const server = createServer((incoming, response) => {
		proxy.web(incoming, response, { target: choose(incoming.url ?? '') }, () => {
			if (response.headersSent) response.destroy();
			else response.writeHead(502).end();
		});
	});
	// WebSockets of the editor and of chats.
	server.on('upgrade', (incoming, socket, head) =>
		proxy.ws(incoming, socket, head, { target: targets.main }),
	);
	return { targets, ...(await listen(server)) };
}
