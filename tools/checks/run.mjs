import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROOT } from '../setup/paths.mjs';

/**
 * Runs a Node script and returns whether it succeeded. `minutes` is its time limit. With
 * `holdOutput`, prints its output at the end, for scripts that run side by side.
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
	if (signal)
		console.error(`✖ ${args[0]} was ended by ${signal} (time limit: ${minutes} minutes)`);
	return code === 0;
}
