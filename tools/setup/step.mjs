import { spawnSync } from 'node:child_process';
import { SetupError } from './failure.mjs';
import { ROOT } from './paths.mjs';

/** More than npm prints. */
const MOST_BYTES = 2 ** 28;

/**
 * Runs one command of the set-up; shows what it printed only when it fails.
 *
 * @param {string} title what the user reads while it runs
 * @param {{command: string, args: string[], shell?: boolean}} call for example `npm('ci')`
 * @param {{cwd?: string, advice?: string}} options `advice` says what to do where it fails
 * @throws {SetupError} with the end of its output when the command fails
 */
export function runStep(title, { command, args, shell }, { cwd = ROOT, advice = '' } = {}) {
	console.log(`▸ ${title} …`);
	const start = Date.now();
	const how = { cwd, shell, encoding: 'utf8', maxBuffer: MOST_BYTES };
	const { status, signal, error, stdout = '', stderr = '' } = spawnSync(command, args, how);
	if (status !== 0) {
		const reason = error?.message ?? `ended with ${signal ?? status}`;
		throw new SetupError(`${title}: ${reason}.\n${`${stdout}\n${stderr}`.slice(-5000)}\n${advice}`);
	}
	console.log(`✔ ${Math.round((Date.now() - start) / 1000)} s`);
}
