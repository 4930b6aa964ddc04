import { createServer } from 'node:http';
import type { Server } from 'node:http';
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
});
