import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROOT } from '../setup/paths.mjs';

/** A guard against scripts that hang. A busy machine can take many times as long as an idle one. */
const MAX_MINUTES = 90;

/**
 * Runs a Node script and returns whether it succeeded. With `holdOutput`, prints its output at the
 * end, for scripts that run side by side.
 */
export async function runScript(args, { env = {}, holdOutput = false }) {
	const child = spawn(process.execPath, args, {
		cwd: ROOT,
		env: { ...process.env, ...env },
		stdio: holdOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit',
		timeout: MAX_MINUTES * 60_000,
	});
	const held = holdOutput ? [text(child.stdout), text(child.stderr)] : [];
	const [code, signal] = await once(child, 'close');
	process.stdout.write((await Promise.all(held)).join(''));
	if (signal)
		console.error(`✖ ${args[0]} was ended by ${signal} (time limit: ${MAX_MINUTES} minutes)`);
	return code === 0;
}
