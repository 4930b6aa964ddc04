import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startBalancer } from '../../tools/n8n/balancer';
import type { Balancer } from '../../tools/n8n/balancer';
import { listen } from '../../tools/listen';

/** The load balancer that the tests of queue mode put in front of n8n's processes. */
describe("the tests' load balancer", () => {
	let balancer: Balancer;
	let n8n: Server;
	let close: () => Promise<void>;
	beforeEach(async () => {
		balancer = await startBalancer();
		n8n = createServer();
		const listening = await listen(n8n);
		({ close } = listening);
		balancer.targets.main = listening.url;
		balancer.targets.webhooks = [listening.url];
	});
	afterEach(async () => {
		await balancer.close();
		await close();
	});

	/** Asks to upgrade, together with a first frame, and returns all that comes until the connection ends. */
	async function upgrade(): Promise<string> {
		const { port } = new URL(balancer.url);
		const socket = connect(Number(port), '127.0.0.1');
		socket.write(
			'GET /push HTTP/1.1\r\nHost: n8n\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n',
		);
		socket.write('\r\nfirst of the browser');
		return await text(socket);
	}

	it.each(['/webhook/1', '/rest/workflows'])(
		'responds 502 to %s if the process dies',
		async (path) => {
			n8n.on('request', (incoming) => incoming.socket.destroy());
			for (const method of ['GET', 'POST']) {
				const { status } = await fetch(`${balancer.url}${path}`, { method });
				expect(status).toBe(502);
			}
		},
	);

	it('breaks off a response in which the process dies', async () => {
		n8n.on('request', (incoming, response) => {
			response.writeHead(200).write('a part');
			setImmediate(() => incoming.socket.destroy());
		});
		const response = await fetch(`${balancer.url}/webhook/1`);
		await expect(response.text()).rejects.toThrow();
	});

	it('passes on the first frames of both sides of a WebSocket', async () => {
		n8n.on('upgrade', (_incoming, socket, head) => {
			const accepted =
				'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket';
			socket.write(`${accepted}\r\n\r\nfirst of n8n, `);
			const isHere = head.length > 0 ? Promise.resolve([head]) : once(socket, 'data');
			void isHere.then(([chunk]) => socket.end(`after ${String(chunk)}`));
		});
		expect(await upgrade()).toMatch(
			/^HTTP\/1.1 101 .+\r\n\r\nfirst of n8n, after first of the browser$/s,
		);
	});

	it('passes on that an upgrade is refused, and responds 502 if the process dies', async () => {
		n8n.once('upgrade', (_incoming, socket) => {
			socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 8\r\n\r\nsign in!');
		});
		expect(await upgrade()).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n.+\r\n\r\nsign in!$/s);
		n8n.once('upgrade', (_incoming, socket) => socket.destroy());
		expect(await upgrade()).toMatch(/^HTTP\/1.1 502 /);
	});
});
