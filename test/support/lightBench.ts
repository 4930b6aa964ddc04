import { runScript } from '../../tools/bench/script';

/** Runs `npm run bench -- --light` with some slices. Fails when one ends in error or without a figure. */
export async function expectBenchRuns(...slices: string[]): Promise<void> {
	expect(await runScript('tools/bench/cli.ts', '--light', ...slices)).not.toMatch(/NaN/);
}
