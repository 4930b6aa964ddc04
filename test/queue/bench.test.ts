import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../tools/n8n';

describe('the benchmark of queue mode', () => {
	it('runs with little work', async () => {
		const tsx = path.join(ROOT, 'node_modules/tsx/dist/cli.mjs');
		const script = path.join(ROOT, 'tools/bench/cli.ts');
		const args = [tsx, script, '--light', 'queue'];
		const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });

		expect(stdout).not.toMatch(/NaN/);
	}, 300_000);
});
