import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../tools/free-port';
import { N8nClient, ROOT } from '../../tools/n8n';
import { eventually } from '../support/e2e';

/** Returns the processes with a working directory. Works only on Linux. */
function processesIn(folder: string): string[] {
	if (process.platform !== 'linux') return [];
	return readdirSync('/proc').filter((name) => {
		try {
			return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder;
		} catch {
			return false;
		}
	});
}

async function isFree(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const probe = createServer();
		probe.once('error', () => resolve(false));
		probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
	});
}

/** A workflow in n8n's list. */
interface Listed {
	name: string;
	tags: Array<{ name: string }>;
}

describe('npm start', () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'virtual-pbx-start-'));
	let ports: { n8n: number; sandbox: number };
	let demo: ChildProcess | undefined;

	/** Starts the demo. Returns its output so far, and a promise of its exit code. */
	function start() {
		const portArgs = ['--n8n-port', String(ports.n8n), '--sandbox-port', String(ports.sandbox)];
		const child = spawn(process.execPath, ['tools/start.mjs', ...portArgs, '--folder', folder], {
			cwd: ROOT,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		demo = child;
		let printed = '';
		for (const stream of [child.stdout, child.stderr])
			stream.on('data', (chunk) => (printed += String(chunk)));
		const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
		return { child, output: () => printed, ended };
	}

	beforeAll(async () => {
		ports = { n8n: await freePort(), sandbox: await freePort() };
	});
	afterEach(() => void demo?.kill('SIGKILL'));
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it('prints the execution of a call and the URLs, and stops everything on Ctrl-C', async () => {
		const { child, output, ended } = start();
		await eventually(async () => expect(output()).toContain('Ctrl-C stops both'), 120_000);
		expect(output()).toMatch(
			/Execution \d+ of “Every call, even if its event is lost → note in a CRM”: success/,
		);
		expect(output()).toMatch(/event: 'ended'/);
		expect(output()).toContain(`http://127.0.0.1:${ports.n8n}`);
		expect(output()).toContain(`http://127.0.0.1:${ports.sandbox}`);
		const client = await N8nClient.signIn(`http://127.0.0.1:${ports.n8n}`);
		const listed = await client.rest.request<Listed[]>('GET', 'workflows?sortBy=updatedAt:desc');
		const tagsOf = ({ tags }: Listed) => tags.map(({ name }) => name);
		expect(listed.slice(0, 2).map(tagsOf)).toContainEqual(['Start here']);
		expect(listed[0]?.name).toMatch(/^Every call, even/);
		expect(listed.filter((one) => tagsOf(one).length !== 1)).toEqual([]);
		child.kill('SIGINT');

		expect(await ended).toBe(0);
		expect(await isFree(ports.n8n)).toBe(true);
		expect(await isFree(ports.sandbox)).toBe(true);
		expect(processesIn(folder)).toEqual([]);
	});

	it('says what to do when a port is in use', async () => {
		const taken = createServer();
		await new Promise<void>((resolve) => taken.listen(ports.n8n, '127.0.0.1', resolve));
		const { output, ended } = start();

		expect(await ended).toBe(1);
		expect(output()).toContain(`Port ${ports.n8n} for n8n is in use`);
		expect(output()).toContain('--n8n-port');
		expect(output()).not.toMatch(/^ +at /m);
		taken.close();
	});
});
