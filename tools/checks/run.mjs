import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
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
		timeout: minutes * 60_000,
	});
	const held = holdOutput ? [text(child.stdout), text(child.stderr)] : [];
	const [code, signal] = await once(child, 'close');
	process.stdout.write((await Promise.all(held)).join(''));
	if (signal) console.error(`✖ ${args[0]} was ended by ${signal}; it may take ${minutes} minutes`);
	return code === 0;
}
