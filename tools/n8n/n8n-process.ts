import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port';
import { N8nClient } from './client';
import { containerCommand, imageOfN8n, killContainer } from './container';
import { n8nEnvironment } from './environment';
import type { Place, Role } from './environment';
import { readSetup, ROOT } from './setup-result';
import { prepareUserFolder, putNewDatabase } from './user-folder';

interface N8nOptions {
	/** `main` (default) does everything; `worker` and `webhook` are parts of queue mode. */
	role?: Role;
	/** A folder to keep. By default, a temporary one that `dispose()` removes. */
	userFolder?: string;
	/** By default, a free port. */
	port?: number;
	/** Additional environment, for example for a database or queue mode. */
	env?: Record<string, string>;
	/** The URL at which others reach its webhooks; by default, its own. */
	webhookUrl?: string;
}

const LEASH = path.join(ROOT, 'tools/n8n/leash.mjs');
const READY_WITHIN_MS = 240_000;
const COMMAND: Record<Role, string> = { main: 'start', worker: 'worker', webhook: 'webhook' };

/** Prepares n8n without starting it, for a caller that needs to stop it during its start. */
export async function createN8n(options: N8nOptions = {}): Promise<N8nProcess> {
	const userFolder = await prepareUserFolder(options.userFolder);
	const isOfPinned = !options.env?.DB_TYPE && !imageOfN8n();
	if (!options.userFolder && isOfPinned) await putNewDatabase(userFolder);
	const { role = 'main', port = await freePort() } = options;
	const { webhookUrl = `http://127.0.0.1:${port}/` } = options;
	const place = { role, userFolder, port, brokerPort: await freePort(), webhookUrl };
	return new N8nProcess(place, options);
}

/** Starts n8n and waits until it is ready. On failure, throws with the end of its log. */
export async function startN8n(options: N8nOptions = {}): Promise<N8nProcess> {
	const n8n = await createN8n(options);
	try {
		await n8n.start();
	} catch (error) {
		await n8n.dispose();
		throw error;
	}
	return n8n;
}

/** An n8n process, running or not. */
export class N8nProcess {
	readonly url: string;
	/** All output of n8n, over all its starts. */
	readonly log: string;
	/** The leash, which leads the process group. */
	private child: ChildProcess | undefined;
	private ownPid: number | undefined;

	constructor(
		readonly place: Place,
		private readonly options: N8nOptions,
	) {
		this.url = `http://127.0.0.1:${place.port}`;
		this.log = path.join(place.userFolder, `n8n-${place.role}.log`);
	}

	/** The process ID of n8n itself while it runs. */
	get pid(): number | undefined {
		return this.child && this.ownPid;
	}

	/** Starts the process, or starts it again on its folder and port, and waits until it is ready. */
	async start(): Promise<void> {
		if (this.child) throw new Error('This n8n process is already running');
		const env = n8nEnvironment(this.place, this.options.env);
		const output = openSync(this.log, 'a');
		const child = spawn(process.execPath, [LEASH, ...this.command(env)], {
			cwd: this.place.userFolder,
			env,
			stdio: ['ignore', output, output, 'ipc'],
			detached: true,
		});
		closeSync(output);
		this.child = child;
		child.once('message', ({ pid }: { pid: number }) => (this.ownPid = pid));
		child.once('exit', () => {
			if (this.child === child) this.child = undefined;
		});
		await this.waitUntilReady();
	}

	/** Stops it as a service manager would (SIGTERM), and kills it after 20 s. */
	async stop(): Promise<void> {
		const { child } = this;
		child?.kill('SIGTERM');
		await endOf(child, 20_000);
		await this.kill(child);
	}

	/** Kills it, with everything it started, like a crash (SIGKILL). */
	async kill(child = this.child): Promise<void> {
		if (child?.pid === undefined) return;
		if (imageOfN8n()) await killContainer(this.place);
		try {
			process.kill(-child.pid, 'SIGKILL');
		} catch (error) {
			// It might have ended already.
			if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
		}
		await endOf(child, 5000);
	}

	async restart(how: 'stop' | 'kill' = 'stop'): Promise<void> {
		await this[how]();
		await this.start();
	}

	/** Stops it and removes a temporary folder. */
	async dispose(): Promise<void> {
		await this.stop();
		if (this.options.userFolder) return;
		await rm(this.place.userFolder, { recursive: true, force: true, maxRetries: 3 });
	}

	/** As {@link N8nClient.signIn}. */
	async signIn(): Promise<N8nClient> {
		return await N8nClient.signIn(this.url);
	}

	/** Returns the command that runs the installed n8n, or the one in an image. */
	private command(env: NodeJS.ProcessEnv): string[] {
		const command = COMMAND[this.place.role];
		const image = imageOfN8n();
		if (image) return containerCommand(image, this.place, env, command);
		const { node, n8n } = readSetup();
		return [node, n8n, command];
	}

	private async waitUntilReady(): Promise<void> {
		const deadline = Date.now() + READY_WITHIN_MS;
		while (!(await isReady(this.url))) {
			const state = this.child ? 'was not ready in time' : 'ended while starting';
			if (!this.child || Date.now() > deadline) {
				await this.kill();
				const lines = (await readFile(this.log, 'utf8')).trimEnd().split('\n');
				throw new Error(`n8n ${state}. Its log ends with:\n${lines.slice(-30).join('\n')}`);
			}
			await sleep(200);
		}
	}
}

async function isReady(url: string): Promise<boolean> {
	const signal = AbortSignal.timeout(2000);
	const response = await fetch(`${url}/healthz/readiness`, { signal }).catch(() => undefined);
	return response?.ok ?? false;
}

async function endOf(child: ChildProcess | undefined, limit: number): Promise<void> {
	const deadline = Date.now() + limit;
	while (child?.exitCode === null && child.signalCode === null && Date.now() < deadline)
		await sleep(50);
}
