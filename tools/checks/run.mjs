import { spawn } from 'node:child_process';
import { ROOT } from '../setup/paths.mjs';

/**
 * Runs a script of Node's under a time limit.
 *
 * @param {string[]} args the script and its arguments
 * @param {{minutes: number, env?: NodeJS.ProcessEnv, holdOutput?: boolean}} options it is ended after `minutes`;
 *   with `holdOutput` it prints only when it is done, for scripts that run side by side
 * @returns {Promise<boolean>} whether it succeeded in time
 */
export async function runScript(args, { minutes, env = {}, holdOutput = false }) {
	const child = spawn(process.execPath, args, {
		cwd: ROOT,
		env: { ...process.env, ...env },
		stdio: holdOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit',
	});
	const held = [];
	for (const stream of [child.stdout, child.stderr])
		stream?.on('data', (chunk) => held.push(chunk));
	const limit = setTimeout(() => {
		console.error(`✖ Ended: it took longer than ${minutes} minutes`);
		child.kill('SIGTERM');
		setTimeout(() => child.kill('SIGKILL'), 5000).unref();
	}, minutes * 60_000);
	const passed = await new Promise((resolve) => {
		child.once('error', () => resolve(false));
		child.once('close', (code) => resolve(code === 0));
	});
	clearTimeout(limit);
	process.stdout.write(Buffer.concat(held));
	return passed;
}
