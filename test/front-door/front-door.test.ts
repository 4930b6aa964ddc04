import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { freePort } from '../../tools/free-port';
import { startFrontDoor } from '../support/frontDoor';
import type { Behind, FrontDoor } from '../support/frontDoor';
import { makeCertificate } from '../support/certificate';
import { eventually } from '../support/eventually';

const EVENT = '/webhook/5b6d/webhook';
const QUESTION = '/webhook/5b6d/routing';
const STRANGER = '203.0.113.7';
const PBX = '203.0.113.9';
jest.setTimeout(60_000);

const dispatcher = new Agent({ connections: 2000, pipelining: 1 });

/** A sender who never ends the body of an event. */
function slowSender(url: string, length: number): Socket {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname);
	socket.on('error', () => undefined);
	const head = `POST ${EVENT} HTTP/1.1\r\nHost: n8n\r\nContent-Length: ${length}\r\n\r\n`;
	socket.write(head + 'a'.repeat(length - 2000));
	return socket;
}

/** Stands for a process of n8n: it answers after a while, and knows how many requests it had at a time. */
class Standin {
	ms = 20;
	isReady = true;
	status = 200;
	/** Whether it marks the sender, as the event trigger does for the right secret. */
	marks = false;
	most = 0;
	readonly paths: string[] = [];
	readonly schemes: unknown[] = [];
	private under = 0;
	private port = 0;
	private server = createServer();

	async start(): Promise<void> {
		this.port ||= await freePort();
		this.server = createServer((request, response) => void this.answer(request, response));
		await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', 4000, resolve));
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
		if (url === EVENT) this.schemes.push(request.headers['x-forwarded-proto']);
		this.most = Math.max(this.most, ++this.under);
		await sleep(this.ms);
		this.under--;
		if (this.marks) response.setHeader('Virtual-PBX', 'verified');
		response.writeHead(this.status).end(url);
	}
}

/** The real HAProxy with the configuration of docs/front-door. */
describe('the front door', () => {
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

	const post = async (path: string, headers: Record<string, string> = {}, body = '{}') => {
		const response = await fetch(`${door?.url}${path}`, {
			method: 'POST',
			body,
			headers,
			dispatcher,
		});
		await response.arrayBuffer();
		return response;
	};
	const send = async (path: string, sender?: string) =>
		(await post(path, sender ? { 'X-Forwarded-For': sender } : {})).status;
	const sendMany = async (count: number, path = EVENT, sender?: string) =>
		await Promise.all(Array.from({ length: count }, async () => await send(path, sender)));
	const set = (how: Partial<Pick<Standin, 'ms' | 'status' | 'marks'>>) => {
		for (const one of standins) Object.assign(one, how);
	};
	const all = (count: number, status: number) => Array.from({ length: count }, () => status);

	it('takes 1,000 deliveries at one moment, eight at a time to each process', async () => {
		expect(await sendMany(1000)).toEqual(all(1000, 200));
		for (const { most, paths } of standins) {
			expect(most).toBe(8);
			expect(paths.length).toBeGreaterThan(300);
		}
	});

	it('lets questions of live calls not wait behind events', async () => {
		set({ ms: 100 });
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
		await sleep(1500);
		await standins[1]?.start();

		expect(await sent).toEqual(all(100, 200));
		expect(standins[1]?.paths).toHaveLength(100);
	});

	it('refuses what has waited too long, instead of letting the PBX wait', async () => {
		await door?.close();
		door = await startFrontDoor(behind, { patienceSeconds: 1 });
		set({ ms: 2500 });
		const answers = await sendMany(32);

		expect(answers.filter((status) => status === 200)).toHaveLength(16);
		expect(answers.filter((status) => status === 503)).toHaveLength(16);
	});

	it('keeps the places for events free of a sender who is slow with a body, however large', async () => {
		const slow = Array.from({ length: 40 }, (_, index) =>
			slowSender(door?.url ?? '', [20_000, 60_000, 200_000][index % 3] ?? 0),
		);
		try {
			await sleep(1000);
			expect(await sendMany(20)).toEqual(all(20, 200));
		} finally {
			for (const one of slow) one.destroy();
		}
	});

	it('refuses a stranger who is refused again and again, and nobody else', async () => {
		set({ status: 401 });
		await sendMany(40, EVENT, STRANGER);
		expect(await send(EVENT, STRANGER)).toBe(429);
		const asked = () => standins.reduce((sum, { paths }) => sum + paths.length, 0);
		const before = asked();
		expect(await sendMany(50, EVENT, STRANGER)).toEqual(all(50, 429));
		expect(asked()).toBe(before);

		set({ status: 200 });
		expect(await send(EVENT, '203.0.113.8')).toBe(200);
	});

	it('refuses a stranger in whatever way the path is written, but not at once a question', async () => {
		set({ status: 401 });
		await sendMany(40, '/WebHook/5b6d/webhook/', STRANGER);
		expect(await send('/WEBHOOK/5b6d/Webhook', STRANGER)).toBe(429);
		expect(await send('/webhook-test/5b6d', STRANGER)).toBe(429);
		expect(await send(QUESTION, STRANGER)).toBe(401);
		await eventually(async () => {
			await sendMany(250, QUESTION, STRANGER);
			expect(await send(QUESTION, STRANGER)).toBe(429);
		}, 40_000);
	});

	it('listens to a stranger again who has been silent for a while', async () => {
		await door?.close();
		door = await startFrontDoor(behind, { memorySeconds: 2 });
		set({ status: 401 });
		await sendMany(40, EVENT, STRANGER);
		set({ status: 200 });
		await eventually(async () => expect(await send(EVENT, STRANGER)).toBe(200), 25_000);
	});

	it('goes on with a sender whose secret was right before, and keeps the mark to itself', async () => {
		set({ marks: true });
		const answer = await post(EVENT, { 'X-Forwarded-For': PBX });
		expect(answer.headers.has('virtual-pbx')).toBe(false);
		set({ status: 401, marks: false });
		await sendMany(40, EVENT, PBX);
		expect(await send(EVENT, PBX)).toBe(401);
	});

	it('takes a 200 of another webhook for nothing', async () => {
		await sendMany(5, EVENT, STRANGER);
		set({ status: 401 });
		await sendMany(40, EVENT, STRANGER);
		expect(await send(EVENT, STRANGER)).toBe(429);
	});

	it('leaves the scheme that a proxy before it tells', async () => {
		await post(EVENT, { 'X-Forwarded-Proto': 'https' });
		await post(EVENT);
		expect(standins.flatMap(({ schemes }) => schemes).sort()).toEqual(['http', 'https']);
	});

	it('speaks TLS with a certificate, and tells n8n so', async () => {
		const folder = mkdtempSync(path.join(tmpdir(), 'front-door-tls-'));
		const certificate = path.join(folder, 'tls.pem');
		const { key, cert } = await makeCertificate(['n8n']);
		writeFileSync(certificate, key + cert);
		await door?.close();
		door = await startFrontDoor(behind, { certificate });
		const trusting = new Agent({ connect: { rejectUnauthorized: false }, allowH2: true });
		const { status } = await fetch(`${door.tlsUrl}${EVENT}`, {
			method: 'POST',
			body: '{}',
			dispatcher: trusting,
		});
		await trusting.destroy();
		rmSync(folder, { recursive: true });

		expect(status).toBe(200);
		expect(standins.flatMap(({ schemes }) => schemes)).toEqual(['https']);
	});

	it('gives nothing to one n8n that is starting, in its shortest form', async () => {
		await door?.close();
		const [first] = standins;
		Object.assign(first ?? {}, { isReady: false });
		door = await startFrontDoor(behind, { isShort: true });
		await eventually(async () => expect(await send(EVENT)).toBe(503), 15_000);
		const taken = first?.paths.length;
		expect(await send(EVENT)).toBe(503);
		expect(first?.paths).toHaveLength(taken ?? -1);
		Object.assign(first ?? {}, { isReady: true });
		await eventually(async () => expect(await send(EVENT)).toBe(200), 15_000);
	});
});
