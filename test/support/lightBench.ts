import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../tools/n8n';

const run = promisify(execFile);

/** Runs `npm run bench -- --light` with some slices. Fails when one ends in error or without a figure. */
export async function expectBenchRuns(...slices: string[]): Promise<void> {
	const tsx = path.join(ROOT, 'node_modules/tsx/dist/cli.mjs');
	const script = path.join(ROOT, 'tools/bench/cli.ts');
	const { stdout } = await run(process.execPath, [tsx, script, '--light', ...slices], {
		cwd: ROOT,
	});
	expect(stdout).not.toMatch(/NaN/);
}
