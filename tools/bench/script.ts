import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../n8n';

const run = promisify(execFile);

/**
 * Runs a TypeScript file in a process of its own.
 *
 * @param file from the root of the repository
 * @returns what it printed
 * @throws when it ends in error
 */
export async function runScript(file: string, ...options: string[]): Promise<string> {
	const tsx = path.join(ROOT, 'node_modules/tsx/dist/cli.mjs');
	const words = [tsx, path.join(ROOT, file), ...options];
	return (await run(process.execPath, words, { cwd: ROOT })).stdout;
}
