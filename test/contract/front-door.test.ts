import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { haproxyVersion, startFrontDoor } from '../../tools/n8n/front-door';
import type { Behind, FrontDoor } from '../../tools/n8n/front-door';
import { eventually } from '../support/eventually';

const EVENT = '/webhook/5b6d/webhook';
const QUESTION = '/webhook/5b6d/routing';
jest.setTimeout(60_000);

const dispatcher = new Agent({ connections: 2000, pipelining: 1 });

/** Stands for a process of n8n: it answers after a while, and knows how many requests it had at a time. */
class Standin {
	ms = 20;
	isReady = true;
	status = 200;
	most = 0;
	readonly paths: string[] = [];
	private under = 0;
	private port = 0;
	private server = createServer();

	async start(): Promise<void> {
		this.server = createServer((request, response) => void this.answer(request, response));
		await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', 4000, resolve));
		this.port = (this.server.address() as AddressInfo).port;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async die(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { url = '' } = request;
		if (url.startsWith('/healthz')) {
			response.writeHead(this.isReady ? 200 : 503).end();
			return;
		}
		this.paths.push(url);
		this.most = Math.max(this.most, ++this.under);
		await sleep(this.ms);
		this.under--;
		response.writeHead(this.status).end(url);
	}
}

const isInstalled = haproxyVersion() !== undefined;
if (!isInstalled) console.log('HAProxy is not installed here: its tests are left out.');

/** The real HAProxy with the configuration of docs/front-door. */
(isInstalled ? describe : describe.skip)('the front door', () => {
	let standins: Standin[];
	let behind: Behind;
	let door: FrontDoor | undefined;

	beforeEach(async () => {
		standins = [new Standin(), new Standin()];
		for (const one of standins) await one.start();
		const urls = standins.map(({ url }) => url);
		behind = { main: urls[0] ?? '', webhooks: urls };
		door = await startFrontDoor(behind, { patienceSeconds: 40 });
	});
	afterEach(async () => {
		await door?.close();
		for (const one of standins) await one.die();
	});

	const send = async (path: string) => {
		const response = await fetch(`${door?.url}${path}`, { method: 'POST', body: '{}', dispatcher });
		await response.arrayBuffer();
		return response.status;
	};
	const sendMany = async (count: number, path = EVENT) =>
		await Promise.all(Array.from({ length: count }, async () => await send(path)));
	const all = (count: number, status: number) => Array.from({ length: count }, () => status);

	it('takes 1,000 deliveries at one moment, eight at a time to each process', async () => {
		expect(await sendMany(1000)).toEqual(all(1000, 200));
		for (const { most, paths } of standins) {
			expect(most).toBe(8);
			expect(paths.length).toBeGreaterThan(300);
		}
	});

	it('lets questions of live calls not wait behind events', async () => {
		for (const one of standins) one.ms = 100;
		const order: string[] = [];
		const events = sendMany(400).then(() => order.push('events'));
		await sleep(200);
		const questions = sendMany(20, QUESTION).then(() => order.push('questions'));
		await Promise.all([events, questions]);

		expect(order).toEqual(['questions', 'events']);
	});

	it('sends what has not reached a dead process to the other one', async () => {
		await send(EVENT);
		const [first, second] = standins;
		await first?.die();
		expect(await sendMany(100)).toEqual(all(100, 200));
		expect(second?.paths.length).toBeGreaterThanOrEqual(100);

		await first?.start();
		await eventually(async () => {
			await sendMany(20);
			expect(first?.paths.length).toBeGreaterThan(5);
		});
	});

	it('gives nothing to a process that is starting', async () => {
		const [first] = standins;
		if (first) first.isReady = false;
		await eventually(async () => {
			const before = first?.paths.length;
			await sendMany(20);
			expect(first?.paths).toHaveLength(before ?? 0);
		});
		const before = first?.paths.length;
		expect(await sendMany(100)).toEqual(all(100, 200));
		expect(first?.paths).toHaveLength(before ?? 0);
	});

	it('keeps deliveries while no process is there, and gives them to the first that is', async () => {
		for (const one of standins) await one.die();
		const sent = sendMany(100);
		await sleep(4000);
		await standins[1]?.start();

		expect(await sent).toEqual(all(100, 200));
		expect(standins[1]?.paths).toHaveLength(100);
	});

	it('refuses what has waited too long, instead of letting the PBX wait', async () => {
		await door?.close();
		door = await startFrontDoor(behind, { patienceSeconds: 1 });
		for (const one of standins) one.ms = 5000;
		const answers = await sendMany(32);

		expect(answers.filter((status) => status === 200)).toHaveLength(16);
		expect(answers.filter((status) => status === 503)).toHaveLength(16);
	});

	it('refuses a stranger who is refused again and again, and nobody known', async () => {
		for (const one of standins) one.status = 401;
		await sendMany(40);
		expect(await send(EVENT)).toBe(429);
		const asked = standins.reduce((sum, { paths }) => sum + paths.length, 0);
		expect(await sendMany(50)).toEqual(all(50, 429));
		expect(standins.reduce((sum, { paths }) => sum + paths.length, 0)).toBe(asked);
	});

	it('goes on with a sender whose secret was right before', async () => {
		expect(await send(EVENT)).toBe(200);
		for (const one of standins) one.status = 401;
		await sendMany(40);
		expect(await send(EVENT)).toBe(401);
	});

	it('is back after it was killed', async () => {
		await door?.kill();
		await expect(send(EVENT)).rejects.toThrow();
		await door?.start();
		expect(await send(EVENT)).toBe(200);
	});
});
