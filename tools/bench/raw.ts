import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../n8n';

const run = promisify(execFile);

/**
 * Has plain undici read a URL in a process of its own, as JSON of `{ data: [] }` or into a file.
 *
 * @returns milliseconds, and how many entries or bytes came
 * @throws when the answer is not 200
 */
export async function readRaw(order: {
	url: string;
	token: string;
	file?: string;
}): Promise<{ ms: number; count: number }> {
	const script = path.join(ROOT, 'tools/bench/undici.cjs');
	const { stdout } = await run(process.execPath, [script, JSON.stringify(order)]);
	return JSON.parse(stdout) as { ms: number; count: number };
}
