import { spawn, spawnSync } from 'node:child_process';
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

/** The processes behind the door, by their addresses. */
export interface Behind {
	main: string;
	webhooks: string[];
}

/** What a test may have otherwise than users. */
export interface DoorSettings {
	/** How long a request may wait for a place, or for a process that is there; 6 s for users. */
	patienceSeconds?: number;
	/** How long a refused request counts against its sender; 10 s for users. */
	memorySeconds?: number;
	/** A file with a certificate and its key: a second port then speaks TLS, as the line in the file says. */
	certificate?: string;
	/** The shortest form, for one n8n. */
	isShort?: boolean;
}

/** A running HAProxy. */
export interface FrontDoor {
	url: string;
	/** The address for TLS, where there is a certificate. */
	tlsUrl: string;
	close(): Promise<void>;
}

/** Tells HAProxy's version, undefined where this machine has none. */
export function haproxyVersion(): string | undefined {
	const { stdout } = spawnSync('haproxy', ['-v'], { encoding: 'utf8' });
	return /version (\S+)/.exec(stdout ?? '')?.[1];
}

/**
 * Starts the real HAProxy with the configuration that users get; only addresses and ports are others.
 *
 * @param behind where the processes of n8n listen
 * @param settings what shall be otherwise than for users, such as on a machine that is busy with other tests
 * @throws when HAProxy does not start, with its words
 */
export async function startFrontDoor(
	behind: Behind,
	settings: DoorSettings = {},
): Promise<FrontDoor> {
	const folder = mkdtempSync(path.join(tmpdir(), 'front-door-'));
	const [port, tlsPort] = [await freePort(), await freePort()];
	const url = `http://127.0.0.1:${port}`;
	const file = path.join(folder, 'haproxy.cfg');
	const text = placed(
		readFileSync(path.join(FILES, settings.isShort ? 'one-n8n.cfg' : 'haproxy.cfg'), 'utf8'),
		behind,
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

/** The configuration with the addresses of a test instead of Docker's. */
function placed(text: string, { main, webhooks }: Behind, port: number): string {
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

/** The line for TLS without its #, for those who have a certificate. */
function withTls(text: string, { certificate }: DoorSettings, port: number): string {
	if (certificate === undefined) return text;
	return text
		.replace(/^ {4}# bind :443 /m, `    bind 127.0.0.1:${port} `)
		.replace('/usr/local/etc/haproxy/tls.pem', certificate);
}

/** Other times than users have: a try for each second, as they have it, and how long refusals count. */
function withTimes(text: string, { patienceSeconds, memorySeconds }: DoorSettings): string {
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
