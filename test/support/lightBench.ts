import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../tools/n8n';

/** Runs `npm run bench -- --light` with some slices. Fails when one ends in error or without a figure. */
export async function expectBenchRuns(...slices: string[]): Promise<void> {
	const words = ['node_modules/tsx/dist/cli.mjs', 'tools/bench/cli.ts', '--light', ...slices];
	const files = words.map((word) => (word.includes('/') ? path.join(ROOT, word) : word));
	const { stdout } = await promisify(execFile)(process.execPath, files, { cwd: ROOT });
	expect(stdout).not.toMatch(/NaN/);
}
