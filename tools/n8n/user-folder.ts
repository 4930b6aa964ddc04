import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { npm } from '../setup/npm.mjs';
import { n8nEnvironment } from './environment';
import { readSetup, ROOT } from './setup-result';

const run = promisify(execFile);
const DATABASE = ['database.sqlite', 'database.sqlite-wal'];

/** As n8n installs community packages: no scripts, no peers (n8n provides them). */
const INSTALL_FLAGS = [
	'--omit=peer',
	'--legacy-peer-deps',
	'--ignore-scripts',
	'--no-audit',
	'--no-fund',
	'--prefer-offline',
];

/**
 * Makes an n8n user folder with our packed package installed in it, the way n8n's own installer does it.
 * A folder that already has this very build is left as it is.
 *
 * @param folder a folder to keep; without one a throw-away folder is made
 * @returns the folder, for `N8N_USER_FOLDER`
 */
export async function prepareUserFolder(folder?: string): Promise<string> {
	const { fingerprint } = readSetup();
	const home = folder ?? (await mkdtemp(path.join(tmpdir(), 'virtual-pbx-n8n-')));
	const nodes = path.join(home, '.n8n', 'nodes');
	const stamp = path.join(nodes, 'installed');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return home;

	await rm(nodes, { recursive: true, force: true });
	await cp(await installedPackage(), nodes, { recursive: true });
	await writeFile(stamp, fingerprint);
	return home;
}

/**
 * Installs the packed package once per build, beside the tarball, where the next build removes it.
 *
 * @returns a folder like n8n's for community packages
 */
async function installedPackage(): Promise<string> {
	const { tarball } = readSetup();
	return await madeOnce(path.join(path.dirname(tarball), 'installed'), async (cwd) => {
		const manifest = '{"name":"installed-nodes","private":true}\n';
		await writeFile(path.join(cwd, 'package.json'), manifest);
		const { command, args, shell } = npm('install', tarball, ...INSTALL_FLAGS);
		await run(command, args, { cwd, shell });
		return cwd;
	});
}

/**
 * Puts a new n8n's empty database into its folder: n8n makes one in some 250 steps, which take half of its first start.
 * It holds nothing of another n8n's own, such as its key or its owner.
 *
 * @param userFolder a folder that no n8n has run in
 */
export async function putNewDatabase(userFolder: string): Promise<void> {
	const made = await newDatabase();
	const home = path.join(userFolder, '.n8n');
	await mkdir(home, { recursive: true });
	for (const name of DATABASE)
		if (existsSync(path.join(made, name))) await cp(path.join(made, name), path.join(home, name));
}

/** Lets n8n make a database, once for each version. Returns its folder. */
async function newDatabase(): Promise<string> {
	const { node, n8n } = readSetup();
	const manifest = readFileSync(path.join(path.dirname(n8n), '../package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	return await madeOnce(path.join(ROOT, '.n8n', `database-${version}`), async (userFolder) => {
		const place = { role: 'main', port: 0, brokerPort: 0, webhookUrl: '' } as const;
		const env = n8nEnvironment({ ...place, userFolder });
		// A command that needs the database and does nothing to it.
		await run(node, [n8n, 'list:workflow'], { cwd: userFolder, env });
		return path.join(userFolder, '.n8n');
	});
}

/**
 * Makes a folder once for all who need it: beside its place, so that nobody sees it before it is whole.
 *
 * @param make fills the new folder that it is given, and returns what of it to keep
 * @returns the folder
 */
async function madeOnce(
	folder: string,
	make: (making: string) => Promise<string>,
): Promise<string> {
	if (existsSync(folder)) return folder;
	const making = await mkdtemp(`${folder}-`);
	try {
		await rename(await make(making), folder).catch((error: unknown) => {
			// Another process may have been quicker.
			if (!existsSync(folder)) throw error;
		});
		return folder;
	} finally {
		await rm(making, { recursive: true, force: true });
	}
}
