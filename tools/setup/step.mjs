import { spawnSync } from 'node:child_process';
import { SetupError } from './failure.mjs';
import { ROOT } from './paths.mjs';

/** More than npm prints. */
const MAX_BYTES = 2 ** 28;

/** Returns how to call npm: the running npm if there is one, since Windows can't spawn `npm`. */
export function npm(...args) {
	const own = process.env.npm_execpath;
	if (own?.endsWith('.js'))
		return { command: process.execPath, args: [own, ...args], shell: false };
	return { command: 'npm', args, shell: process.platform === 'win32' };
}

/**
 * Prints a title and runs a setup command, such as `npm('ci')`. On failure, throws a SetupError
 * with the end of the output and the `advice`.
 */
export function runStep(title, { command, args, shell }, { cwd = ROOT, advice = '' } = {}) {
	console.log(`▸ ${title} …`);
	const start = Date.now();
	const how = { cwd, shell, encoding: 'utf8', maxBuffer: MAX_BYTES };
	const { status, signal, error, stdout = '', stderr = '' } = spawnSync(command, args, how);
	if (status !== 0) {
		const reason = error?.message ?? `ended with ${signal ?? status}`;
		throw new SetupError(`${title}: ${reason}.\n${`${stdout}\n${stderr}`.slice(-5000)}\n${advice}`);
	}
	console.log(`✔ ${Math.round((Date.now() - start) / 1000)} s`);
}
