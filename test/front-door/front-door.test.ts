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
import type { Backends, FrontDoor } from '../support/frontDoor';
import { makeCertificate } from '../support/certificate';
import { eventually } from '../support/eventually';

const EVENT = '/webhook/5b6d/webhook';
const ROUTING = '/webhook/5b6d/routing';
const UNKNOWN_SENDER = '203.0.113.7';
const PBX = '203.0.113.9';
const dispatcher = new Agent({ connections: 2000, pipelining: 1 });

/** Opens a connection that never finishes the body of an event. */
function slowSender(url: string, length: number): Socket {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname);
	socket.on('error', () => undefined);
	const head = `POST ${EVENT} HTTP/1.1\r\nHost: n8n\r\nContent-Length: ${length}\r\n\r\n`;
	socket.write(head + 'a'.repeat(length - 2000));
	return socket;
}

/** A mock n8n process: responds after a delay, and records its peak of concurrent requests. */
class FakeN8n {
	ms = 20;
	isReady = true;
	status = 200;
	/** Whether to report the sender as verified, as the event trigger does for the right secret. */
	isVerified = false;
	peak = 0;
	readonly paths: string[] = [];
	readonly schemes: unknown[] = [];
	/** The connections that requests came on. */
	readonly sockets = new Set<Socket>();
	private inFlight = 0;
	private port = 0;
	private readonly server = createServer((...exchange) => void this.respond(...exchange));

	async start(): Promise<void> {
		this.port ||= await freePort();
		await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', 4000, resolve));
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { url = '' } = request;
		if (url.startsWith('/healthz')) {
			response.writeHead(this.isReady ? 200 : 503).end();
			return;
		}
		this.paths.push(url);
		this.sockets.add(request.socket);
		if (url === EVENT) this.schemes.push(request.headers['x-forwarded-proto']);
		this.peak = Math.max(this.peak, ++this.inFlight);
		await sleep(this.ms);
		this.inFlight--;
		if (this.isVerified) response.setHeader('Virtual-PBX', 'verified');
		response.writeHead(this.status).end(url);
	}
}

/** The real HAProxy with the configuration of docs/front-door. */
describe('the front door', () => {
	let processes: FakeN8n[];
	let backends: Backends;
	let proxy: FrontDoor;

	beforeEach(async () => {
		processes = [new FakeN8n(), new FakeN8n()];
		for (const each of processes) await each.start();
		const urls = processes.map(({ url }) => url);
		backends = { main: urls[0] ?? '', webhooks: urls };
		proxy = await startFrontDoor(backends, { patienceSeconds: 40 });
	});
	const restart = async (settings: Parameters<typeof startFrontDoor>[1]) => {
		await proxy.close();
		proxy = await startFrontDoor(backends, settings);
	};
	afterEach(async () => {
		await proxy.close();
		for (const each of processes) await each.stop();
	});

	const post = async (path: string, headers: Record<string, string> = {}, body = '{}') => {
		const init = { method: 'POST', body, headers, dispatcher };
		const response = await fetch(`${proxy.url}${path}`, init);
		await response.arrayBuffer();
		return response;
	};
	const send = async (path: string, sender?: string) =>
		(await post(path, sender ? { 'X-Forwarded-For': sender } : {})).status;
	const sendMany = async (count: number, path = EVENT, sender?: string) =>
		await Promise.all(Array.from({ length: count }, async () => await send(path, sender)));
	const configure = (changes: Partial<Pick<FakeN8n, 'ms' | 'status' | 'isVerified'>>) => {
		for (const each of processes) Object.assign(each, changes);
	};
	const all = (count: number, status: number) => Array.from({ length: count }, () => status);

	it('accepts 1,000 simultaneous deliveries, passing each process eight at a time', async () => {
		expect(await sendMany(1000)).toEqual(all(1000, 200));
		for (const { peak, paths } of processes) {
			expect(peak).toBe(8);
			expect(paths.length).toBeGreaterThan(300);
		}
	});

	it('puts routing requests of live calls ahead of queued events', async () => {
		configure({ ms: 100 });
		const order: string[] = [];
		const events = sendMany(400).then(() => order.push('events'));
		await sleep(200);
		const requests = sendMany(20, ROUTING).then(() => order.push('routing requests'));
		await Promise.all([events, requests]);

		expect(order).toEqual(['routing requests', 'events']);
	});

	it('retries requests that never reached a dead process on the other one', async () => {
		await send(EVENT);
		const [first, second] = processes;
		await first?.stop();
		expect(await sendMany(100)).toEqual(all(100, 200));
		expect(second?.paths.length).toBeGreaterThanOrEqual(100);

		await first?.start();
		await eventually(async () => {
			await sendMany(20);
			expect(first?.paths.length).toBeGreaterThan(5);
		});
	});

	it('sends nothing to a process that is still starting', async () => {
		const [first] = processes;
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

	it('holds deliveries while no process is up, then sends them to the first one that starts', async () => {
		for (const each of processes) await each.stop();
		const sent = sendMany(100);
		await sleep(1500);
		await processes[1]?.start();

		expect(await sent).toEqual(all(100, 200));
		expect(processes[1]?.paths).toHaveLength(100);
	});

	it('rejects requests that have waited too long, so the PBX does not time out', async () => {
		await restart({ patienceSeconds: 1 });
		configure({ ms: 2500 });
		const statuses = await sendMany(32);

		expect(statuses.filter((status) => status === 200)).toHaveLength(16);
		expect(statuses.filter((status) => status === 503)).toHaveLength(16);
	});

	it('keeps slow uploads from taking event slots, whatever their size', async () => {
		const slow = Array.from({ length: 40 }, (_, index) =>
			slowSender(proxy.url, [20_000, 60_000, 200_000][index % 3] ?? 0),
		);
		try {
			await sleep(1000);
			expect(await sendMany(20)).toEqual(all(20, 200));
		} finally {
			for (const each of slow) each.destroy();
		}
	});

	it('blocks a sender whose deliveries keep being rejected, and no other sender', async () => {
		configure({ status: 401 });
		await sendMany(40, EVENT, UNKNOWN_SENDER);
		expect(await send(EVENT, UNKNOWN_SENDER)).toBe(429);
		const received = () => processes.map(({ paths }) => paths.length);
		const before = received();
		expect(await sendMany(50, EVENT, UNKNOWN_SENDER)).toEqual(all(50, 429));
		expect(received()).toEqual(before);

		configure({ status: 200 });
		expect(await send(EVENT, '203.0.113.8')).toBe(200);
	});

	it('blocks that sender however the path is written, but allows more rejected routing requests', async () => {
		configure({ status: 401 });
		await sendMany(40, '/WebHook/5b6d/webhook/', UNKNOWN_SENDER);
		expect(await send('/WEBHOOK/5b6d/Webhook', UNKNOWN_SENDER)).toBe(429);
		expect(await send('/webhook-test/5b6d', UNKNOWN_SENDER)).toBe(429);
		expect(await send(ROUTING, UNKNOWN_SENDER)).toBe(401);
		await eventually(async () => {
			await sendMany(250, ROUTING, UNKNOWN_SENDER);
			expect(await send(ROUTING, UNKNOWN_SENDER)).toBe(429);
		});
	});

	it('blocks a sender who asks for too many live calls, whatever n8n answers, and no other sender', async () => {
		await sendMany(200, ROUTING, UNKNOWN_SENDER);
		await eventually(async () => {
			await sendMany(50, ROUTING, UNKNOWN_SENDER);
			expect(await send(ROUTING, UNKNOWN_SENDER)).toBe(429);
		});
		expect(await send(ROUTING, '203.0.113.8')).toBe(200);
		expect(await send(EVENT, UNKNOWN_SENDER)).toBe(200);
	});

	it('keeps multipart bodies and those above 1 MiB from the triggers alone', async () => {
		const type = { 'Content-Type': 'Multipart/Form-Data; boundary=x' };
		const large = 'x'.repeat(1_100_000);
		for (const path of [EVENT, ROUTING, EVENT.toUpperCase()]) {
			expect((await post(path, type)).status).toBe(415);
			expect((await post(path, {}, large)).status).toBe(413);
		}
		expect(processes.flatMap(({ paths }) => paths)).not.toContainEqual(
			expect.stringMatching(/webhook/i),
		);
		expect((await post('/webhook/5b6d', type, large)).status).toBe(200);
	});

	it('unblocks a sender who has paused for a while', async () => {
		await restart({ memorySeconds: 2 });
		configure({ status: 401 });
		await sendMany(40, EVENT, UNKNOWN_SENDER);
		configure({ status: 200 });
		await eventually(async () => expect(await send(EVENT, UNKNOWN_SENDER)).toBe(200), 25_000);
	});

	it('never blocks a sender verified earlier, and strips the verified header from responses', async () => {
		configure({ isVerified: true });
		const response = await post(EVENT, { 'X-Forwarded-For': PBX });
		expect(response.headers.has('virtual-pbx')).toBe(false);
		configure({ status: 401, isVerified: false });
		await sendMany(40, EVENT, PBX);
		expect(await send(EVENT, PBX)).toBe(401);
	});

	it('does not count a 200 from another webhook as verification', async () => {
		await sendMany(5, EVENT, UNKNOWN_SENDER);
		configure({ status: 401 });
		await sendMany(40, EVENT, UNKNOWN_SENDER);
		expect(await send(EVENT, UNKNOWN_SENDER)).toBe(429);
	});

	it('keeps X-Forwarded-Proto from a proxy in front of it', async () => {
		await post(EVENT, { 'X-Forwarded-Proto': 'https' });
		await post(EVENT);
		expect(processes.flatMap(({ schemes }) => schemes).sort()).toEqual(['http', 'https']);
	});

	it('terminates TLS, and passes the scheme to n8n', async () => {
		const folder = mkdtempSync(path.join(tmpdir(), 'front-door-tls-'));
		const certificate = path.join(folder, 'tls.pem');
		const { key, cert } = await makeCertificate(['n8n']);
		writeFileSync(certificate, key + cert);
		await restart({ certificate });
		const trusting = new Agent({ connect: { rejectUnauthorized: false }, allowH2: true });
		const init = { method: 'POST', body: '{}', dispatcher: trusting };
		const { status } = await fetch(`${proxy.tlsUrl}${EVENT}`, init);
		await trusting.destroy();
		rmSync(folder, { recursive: true });

		expect(status).toBe(200);
		expect(processes.flatMap(({ schemes }) => schemes)).toEqual(['https']);
	});

	it.each([false, true])(
		'opens a connection for each request, since n8n drops those on kept ones after a pause (shortest form: %j)',
		async (isShort) => {
			await restart({ isShort });
			await eventually(async () => expect(await send(EVENT)).toBe(200), 15_000);
			const count = () => processes.reduce((sum, { sockets }) => sum + sockets.size, 0);
			const before = count();
			for (let sent = 0; sent < 6; sent++) await send(EVENT);
			expect(count() - before).toBe(6);
		},
	);

	it('sends nothing to a single n8n instance that is still starting, in its shortest form', async () => {
		const [first] = processes;
		Object.assign(first ?? {}, { isReady: false });
		await restart({ isShort: true });
		await eventually(async () => expect(await send(EVENT)).toBe(503), 15_000);
		const before = first?.paths.length;
		expect(await send(EVENT)).toBe(503);
		expect(first?.paths).toHaveLength(before ?? -1);
		Object.assign(first ?? {}, { isReady: true });
		await eventually(async () => expect(await send(EVENT)).toBe(200), 15_000);
	});
});
