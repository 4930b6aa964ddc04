import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../tools/free-port';
import { ROOT } from '../../tools/n8n';

/** The configurations that users get. */
const FILES = path.join(ROOT, 'docs/front-door');

const START_MS = 10_000;

/** The addresses of the processes behind the proxy. */
export interface Backends {
	main: string;
	webhooks: string[];
}

/** A test's differences from the users' configuration. */
export interface FrontDoorSettings {
	/** How long a request can wait for a slot, or for a running process. 6 s for users. */
	patienceSeconds?: number;
	/** How long a rejected request counts against its sender. 10 s for users. */
	memorySeconds?: number;
	/** A file with a certificate and its key. Enables a second port with TLS, as the file's comment says. */
	certificate?: string;
	/** Whether to use the shortest form, for a single n8n instance. */
	isShort?: boolean;
}

/** A running HAProxy. */
export interface FrontDoor {
	url: string;
	/** The address for TLS, if there is a certificate. */
	tlsUrl: string;
	close(): Promise<void>;
}

/**
 * Starts the real HAProxy with the configuration that users get. Only addresses and ports differ.
 *
 * @param backends where n8n's processes listen
 * @param settings what differs from users, such as on a machine busy with other tests
 * @throws if HAProxy doesn't start, with its message
 */
export async function startFrontDoor(
	backends: Backends,
	settings: FrontDoorSettings = {},
): Promise<FrontDoor> {
	const folder = mkdtempSync(path.join(tmpdir(), 'front-door-'));
	const [port, tlsPort] = [await freePort(), await freePort()];
	const url = `http://127.0.0.1:${port}`;
	const file = path.join(folder, 'haproxy.cfg');
	const text = placed(
		readFileSync(path.join(FILES, settings.isShort ? 'one-n8n.cfg' : 'haproxy.cfg'), 'utf8'),
		backends,
		port,
	);
	writeFileSync(file, withTimes(withTls(text, settings, tlsPort), settings));
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

/** Replaces Docker's addresses in the configuration with the test's. */
function placed(text: string, { main, webhooks }: Backends, port: number): string {
	const servers = (names: string[], rest: string) =>
		names.map((address, index) => `    server n8n${index} ${hostOf(address)}${rest}`).join('\n');
	return text
		.replace(/^ {4}bind :80$/m, `    bind 127.0.0.1:${port}`)
		.replace('127.0.0.1:5678', hostOf(main))
		.replace(
			/^ {4}server-template n8n \d+ n8n-(webhook|main):5678(.*) resolvers docker init-addr none$/gm,
			(_, role: string, rest: string) => servers(role === 'main' ? [main] : webhooks, rest),
		);
}

/** Uncomments the line for TLS, for users with a certificate. */
function withTls(text: string, { certificate }: FrontDoorSettings, port: number): string {
	if (certificate === undefined) return text;
	return text
		.replace(/^ {4}# bind :443 /m, `    bind 127.0.0.1:${port} `)
		.replace('/usr/local/etc/haproxy/tls.pem', certificate);
}

/** Replaces the users' times, keeping one attempt per second. */
function withTimes(text: string, { patienceSeconds, memorySeconds }: FrontDoorSettings): string {
	let changed = text;
	if (patienceSeconds !== undefined)
		changed = changed
			.replace(/^ {4}timeout queue \S+$/m, `    timeout queue ${patienceSeconds}s`)
			.replace(/^ {4}retries \d+$/m, `    retries ${patienceSeconds}`);
	if (memorySeconds !== undefined)
		changed = changed.replace('gpc1_rate(10s)', `gpc1_rate(${memorySeconds}s)`);
	return changed;
}

const hostOf = (address: string) => new URL(address).host;

async function isListening(running: ChildProcess, url: string): Promise<void> {
	let words = '';
	running.stderr?.on('data', (data: Buffer) => (words += data.toString()));
	const until = Date.now() + START_MS;
	for (;;) {
		try {
			await fetch(url);
			return;
		} catch (error) {
			if (running.exitCode !== null || Date.now() > until)
				throw new Error(`HAProxy did not start: ${words}`, { cause: error });
			await sleep(50);
		}
	}
}
