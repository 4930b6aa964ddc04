import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../tools/n8n';

const run = promisify(execFile);

/** Each starts n8n by itself; groups run side by side, since no time counts here. */
const GROUPS = [
	['events', 'reads', 'hot'],
	['cdrs', 'recording'],
	['routing', 'logins', 'package'],
];

describe('the benchmark', () => {
	it('runs every slice, with little work each', async () => {
		const tsx = path.join(ROOT, 'node_modules/tsx/dist/cli.mjs');
		const script = path.join(ROOT, 'tools/bench/cli.ts');
		const outputs = await Promise.all(
			GROUPS.map(
				async (slices) =>
					await run(process.execPath, [tsx, script, '--light', ...slices], { cwd: ROOT }),
			),
		);

		for (const { stdout } of outputs) expect(stdout).not.toMatch(/NaN/);
	}, 300_000);
});
