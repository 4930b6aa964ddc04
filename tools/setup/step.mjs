import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { SetupError } from './failure.mjs';
import { ROOT } from './paths.mjs';

/** How much of a failed command's output is shown. */
const LAST_LINES = 60;

/** Returns how to call npm: the running npm if there is one, since Windows can't spawn `npm`. */
export function npm(...args) {
	const own = process.env.npm_execpath;
	if (own?.endsWith('.js'))
		return { command: process.execPath, args: [own, ...args], shell: false };
	return { command: 'npm', args, shell: process.platform === 'win32' };
}

const packagesIn = (...file) => JSON.parse(readFileSync(path.join(...file), 'utf8')).packages;

/** Whether npm downloads a package of a lock file on this system. */
const isForHere = ({ os, cpu, link }) =>
	!link && (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));

/**
 * Installs what a folder's lock file lists, and says how many packages are downloaded so far, unless npm's own record of
 * an earlier install matches. npm writes that record last, so an interrupted install has none.
 */
export async function installLocked(title, folder) {
	const wanted = packagesIn(folder, 'package-lock.json');
	const record = path.join(folder, 'node_modules', '.package-lock.json');
	const installed = existsSync(record) ? packagesIn(record) : undefined;
	const isThere = ([place, { version, optional, devOptional, peer }]) => {
		if (!place.startsWith('node_modules/')) return true;
		const found = installed[place];
		return found ? found.version === version : Boolean(optional || devOptional || peer);
	};
	if (installed && Object.entries(wanted).every(isThere)) return;
	const total = Object.values(wanted).filter(isForHere).length - 1;
	await runStep(title, npm('ci', '--loglevel=http'), { cwd: folder, total });
}

/**
 * Prints a title and runs a setup command, such as `npm('run', 'build')`. On failure, throws a SetupError with the end of
 * the output and the `advice`.
 */
export async function runStep(title, { command, args, shell }, how = {}) {
	const { cwd = ROOT, advice = '', total = 0 } = how;
	console.log(`▸ ${title} …`);
	const start = Date.now();
	const seconds = () => Math.round((Date.now() - start) / 1000);
	const child = spawn(command, args, { cwd, shell, stdio: ['ignore', 'pipe', 'pipe'] });
	const lines = [];
	let fetched = 0;
	const read = (line) => {
		if (line.startsWith('npm http ')) fetched += / GET 200 .*\.tgz /.test(line) ? 1 : 0;
		else if (lines.push(line) > LAST_LINES) lines.shift();
	};
	for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', read);
	const downloads = () => (fetched > 0 ? `${fetched} of ${total} packages downloaded, ` : '');
	const { isTTY } = process.stdout;
	const show = () =>
		process.stdout.write(`${isTTY ? '\r' : ''}  ${downloads()}${seconds()} s${isTTY ? '' : '\n'}`);
	const ticking = setInterval(show, isTTY ? 500 : 15_000);
	const [status, signal] = await once(child, 'close').catch((error) => [error.message]);
	clearInterval(ticking);
	if (isTTY) process.stdout.write('\r\x1b[K');
	if (status !== 0) {
		const reason = typeof status === 'string' ? status : `ended with ${signal ?? status}`;
		throw new SetupError(`${title}: ${reason}.\n${lines.join('\n')}\n${advice}`);
	}
	console.log(`✔ ${seconds()} s`);
}
