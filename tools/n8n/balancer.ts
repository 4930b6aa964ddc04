import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream';
import { listen } from '../listen';

/**
 * The n8n processes, set once they run. Production webhooks and forms go to each webhook process in turn, an MCP server's
 * sessions to the first one, since only one process knows a session, and everything else to `main`.
 */
interface Targets {
	main: string;
	webhooks: string[];
}

const PRODUCTION = /^\/(webhook|form)(-waiting)?\//;
const SESSIONS = /^\/mcp\//;

export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

/**
 * Starts a load balancer on a free port. It routes paths as n8n's documentation describes, without WebSockets. If a
 * process ends without a response, the client gets 502.
 */
export async function startBalancer() {
	const targets: Targets = { main: '', webhooks: [] };
	let turn = 0;
	const choose = (path: string): string => {
		const { webhooks, main } = targets;
		if (PRODUCTION.test(path)) return webhooks[turn++ % webhooks.length] ?? main;
		return (SESSIONS.test(path) ? webhooks[0] : undefined) ?? main;
	};
	const server = createServer((incoming, response) => {
		const { url: path = '', method = 'GET', headers } = incoming;
		// No keep-alive: n8n closes an idle connection after 5 seconds, possibly just as it's reused.
		const outgoing = request(new URL(path, choose(path)), { method, headers, agent: false });
		outgoing.on('response', (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
			pipeline(answer, response, () => undefined);
		});
		outgoing.on('error', () => {
			if (response.headersSent) response.destroy();
			else response.writeHead(502).end();
		});
		response.on('close', () => outgoing.destroy());
		incoming.pipe(outgoing);
	});
	return { targets, ...(await listen(server)) };
}
