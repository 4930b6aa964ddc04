import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from './made-once';
import { readSetup } from './setup-result';

const run = promisify(execFile);

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
	return await madeOnce(path.join(path.dirname(tarball), 'installed'), async (folder) => {
		await writeFile(
			path.join(folder, 'package.json'),
			'{"name":"installed-nodes","private":true}\n',
		);
		const { command, args } = npmCall(['install', tarball, ...INSTALL_FLAGS]);
		await run(command, args, { cwd: folder, shell: process.platform === 'win32' });
	});
}

/** As n8n installs community packages: no scripts, no peers (n8n provides them). */
const INSTALL_FLAGS = [
	'--omit=peer',
	'--legacy-peer-deps',
	'--ignore-scripts',
	'--no-audit',
	'--no-fund',
	'--prefer-offline',
];

function npmCall(args: string[]): { command: string; args: string[] } {
	const own = process.env.npm_execpath;
	return own?.endsWith('.js')
		? { command: process.execPath, args: [own, ...args] }
		: { command: 'npm', args };
}
