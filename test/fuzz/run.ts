import { appendFileSync } from 'node:fs';
import fc from 'fast-check';

import type { Target } from './target';

const RUNS_IN_TESTS = 200;

/** How a run is told what to do, by `npm run fuzz`; without it, a fixed number of runs with a fixed seed. */
const { FUZZ_SECONDS, FUZZ_SEED, FUZZ_PATH, FUZZ_RESULTS } = process.env;

/** The seed of all targets of this run. */
export const SEED = Number(FUZZ_SEED ?? 20_261_121);

/** How long each target may take, in milliseconds; undefined for a fixed number of runs. */
export const BUDGET_MS = FUZZ_SECONDS === undefined ? undefined : Number(FUZZ_SECONDS) * 1000;

/**
 * Runs a target with the seed, until its share of the budget is used up, or for a fixed number of runs.
 *
 * @throws Error with the smallest input that breaks the property, and the command that repeats it
 */
export async function runTarget(
	{ name, property }: Pick<Target, 'name'> & { property: fc.IRawProperty<unknown> },
	runsInTests = RUNS_IN_TESTS,
): Promise<void> {
	const details = await fc.check(property as fc.IAsyncProperty<unknown>, {
		seed: SEED,
		...(FUZZ_PATH ? { path: FUZZ_PATH } : {}),
		...(BUDGET_MS === undefined
			? { numRuns: runsInTests }
			: { numRuns: 100_000_000, interruptAfterTimeLimit: BUDGET_MS }),
	});
	const isBroken = details.failed && details.counterexample !== null;
	if (FUZZ_RESULTS)
		appendFileSync(FUZZ_RESULTS, `${JSON.stringify({ name, runs: details.numRuns, isBroken })}\n`);
	if (!isBroken) return;
	const again = `npm run fuzz -- --seed ${details.seed} --path ${details.counterexamplePath} --target "${name}"`;
	throw new Error(`${again}\n${fc.defaultReportMessage(details) ?? ''}`, {
		cause: details.errorInstance,
	});
}
