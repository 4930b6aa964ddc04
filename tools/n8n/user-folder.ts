import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { n8nEnvironment } from './environment';
import { readSetup, ROOT } from './setup-result';

const run = promisify(execFile);
const DATABASE = ['database.sqlite', 'database.sqlite-wal'];

/**
 * Creates an n8n user folder, by default a temporary one, and unpacks the package in it, as n8n's own installer does. A
 * folder that already contains this build stays as it is.
 */
export async function prepareUserFolder(folder?: string): Promise<string> {
	const { tarball, fingerprint } = readSetup();
	const home = folder ?? (await mkdtemp(path.join(tmpdir(), 'virtual-pbx-n8n-')));
	const nodes = path.join(home, '.n8n', 'nodes');
	const stamp = path.join(nodes, 'installed');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return home;

	const place = path.join(nodes, 'node_modules', 'n8n-nodes-virtual-pbx');
	await rm(nodes, { recursive: true, force: true });
	await mkdir(place, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
	await writeFile(stamp, fingerprint);
	return home;
}

/**
 * Copies a new n8n database into its folder: n8n needs some 250 migrations to create one, half of its first start. It
 * contains no data of another instance, such as a key or owner.
 */
export async function putNewDatabase(userFolder: string): Promise<void> {
	const made = await newDatabase();
	const home = path.join(userFolder, '.n8n');
	await mkdir(home, { recursive: true });
	for (const name of DATABASE)
		if (existsSync(path.join(made, name))) await cp(path.join(made, name), path.join(home, name));
}

/** Lets n8n create a database, once per version: elsewhere, so that no other process sees it incomplete. */
async function newDatabase(): Promise<string> {
	const { node, n8n } = readSetup();
	const manifest = readFileSync(path.join(path.dirname(n8n), '../package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	const folder = path.join(ROOT, '.n8n', `database-${version}`);
	if (existsSync(folder)) return folder;
	const userFolder = await mkdtemp(`${folder}-`);
	try {
		const place = { role: 'main', userFolder, port: 0, brokerPort: 0, webhookUrl: '' } as const;
		// A command that needs the database and doesn't change it.
		await run(node, [n8n, 'list:workflow'], { cwd: userFolder, env: n8nEnvironment(place) });
		await rename(path.join(userFolder, '.n8n'), folder).catch((error: unknown) => {
			// Another process might have been faster.
			if (!existsSync(folder)) throw error;
		});
		return folder;
	} finally {
		await rm(userFolder, { recursive: true, force: true });
	}
}
