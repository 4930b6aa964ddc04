import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../tools/free-port';
import { ROOT } from '../../tools/n8n';
import { eventually } from './eventually';

const FILES = path.join(ROOT, 'docs/front-door');

const START_MS = 10_000;

/** The addresses of the processes behind the proxy. */
export interface Backends {
	main: string;
	webhooks: string[];
}

/** A test's differences from the users' configuration. */
interface Settings {
	/** How long a request can wait for a slot, or for a running process. 6 s for users. */
	patienceSeconds?: number;
	/** How long a rejected request counts against its sender. 10 s for users. */
	memorySeconds?: number;
	/** A file with a certificate and its key. Enables a second port with TLS, as the file's comment says. */
	certificate?: string;
	/** Whether to use the shortest form, for a single n8n instance. */
	isShort?: boolean;
}

export type FrontDoor = Awaited<ReturnType<typeof startFrontDoor>>;

/**
 * Starts the real HAProxy with the configuration that users get. Only addresses and ports differ, and what a busy
 * machine needs. Throws HAProxy's message if it doesn't start.
 */
export async function startFrontDoor({ main, webhooks }: Backends, settings: Settings = {}) {
	const { patienceSeconds, memorySeconds, certificate, isShort } = settings;
	const folder = mkdtempSync(path.join(tmpdir(), 'front-door-'));
	const [port, tlsPort] = [await freePort(), await freePort()];
	const url = `http://127.0.0.1:${port}`;
	const servers = (names: string[], rest: string) =>
		names.map((address, index) => `    server n8n${index} ${hostOf(address)}${rest}`).join('\n');
	let text = readFileSync(path.join(FILES, isShort ? 'one-n8n.cfg' : 'haproxy.cfg'), 'utf8')
		.replace(/^ {4}bind :80$/m, `    bind 127.0.0.1:${port}`)
		.replace('127.0.0.1:5678', hostOf(main))
		.replace(
			/^ {4}server-template n8n \d+ n8n-(webhook|main):5678(.*) resolvers docker init-addr none$/gm,
			(_, role: string, rest: string) => servers(role === 'main' ? [main] : webhooks, rest),
		);
	if (certificate !== undefined)
		text = text
			.replace(/^ {4}# bind :443 /m, `    bind 127.0.0.1:${tlsPort} `)
			.replace('/usr/local/etc/haproxy/tls.pem', certificate);
	// One attempt per second, as users have it.
	if (patienceSeconds !== undefined)
		text = text
			.replace(/^ {4}timeout queue \S+$/m, `    timeout queue ${patienceSeconds}s`)
			.replace(/^ {4}retries \d+$/m, `    retries ${patienceSeconds}`);
	if (memorySeconds !== undefined)
		text = text.replace('gpc1_rate(10s)', `gpc1_rate(${memorySeconds}s)`);
	const file = path.join(folder, 'haproxy.cfg');
	writeFileSync(file, text);
	const running = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
	await isListening(running, url);
	return {
		url,
		tlsUrl: `https://127.0.0.1:${tlsPort}`,
		close: async () => {
			running.kill('SIGKILL');
			await once(running, 'exit');
			rmSync(folder, { recursive: true });
		},
	};
}

const hostOf = (address: string) => new URL(address).host;

async function isListening(running: ChildProcess, url: string): Promise<void> {
	let words = '';
	running.stderr?.on('data', (data: Buffer) => (words += data.toString()));
	const isUp = async () => {
		if (running.exitCode === null) await fetch(url);
	};
	await eventually(isUp, START_MS, 50).catch((cause: unknown) => {
		throw new Error(`HAProxy did not start: ${words}`, { cause });
	});
	if (running.exitCode !== null) throw new Error(`HAProxy did not start: ${words}`);
}
