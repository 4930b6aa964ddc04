import assert from 'node:assert/strict';
import fc from 'fast-check';

/** Code under test with hostile input. */
export interface Target {
	name: string;
	property: fc.IRawProperty<unknown, boolean>;
}

/** The maximum CPU time for one input: a hundred times what the slowest target needs. */
const MAX_MS = 5000;

/**
 * Defines a target that checks pure functions.
 *
 * @param check throws if a property doesn't hold
 */
export function target<T>(name: string, input: fc.Arbitrary<T>, check: (input: T) => void): Target {
	const property = fc.property(input, (value) => {
		const before = process.cpuUsage();
		check(value);
		const { user, system } = process.cpuUsage(before);
		const took = (user + system) / 1000;
		assert.ok(took < MAX_MS, `It took ${Math.round(took)} ms`);
		assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined, 'Object.prototype is polluted');
	});
	return { name, property: property as fc.IRawProperty<unknown, boolean> };
}

/** Calls a function. Rethrows any error except the kind that it documents. */
export function onlyThrows<T>(
	kind: abstract new (...args: never[]) => Error,
	call: () => T,
): T | undefined {
	try {
		return call();
	} catch (error) {
		if (error instanceof kind) return undefined;
		throw error;
	}
}

/** Fails if JSON can't represent a value, such as undefined or a function. */
export function isJson(value: unknown): void {
	assert.equal(typeof JSON.stringify(value), 'string');
}

const RUNS_IN_TESTS = 200;

/** The number of targets that share the time budget. */
const TARGETS = 10;

/** Settings of `npm run fuzz`. By default, a fixed number of runs with a fixed seed. */
const { FUZZ_SECONDS, FUZZ_SEED, FUZZ_PATH } = process.env;

/** The seed for all targets of this run. */
export const SEED = Number(FUZZ_SEED ?? 20_261_121);

/** Each target's time budget in milliseconds. Undefined for a fixed number of runs. */
export const BUDGET_MS =
	FUZZ_SECONDS === undefined ? undefined : (Number(FUZZ_SECONDS) / TARGETS) * 1000;

/**
 * Runs a target with the seed, until its time budget is used up or for a fixed number of runs.
 *
 * @throws Error with the smallest input that breaks the property, and the command to reproduce it
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
	if (!isBroken) return;
	const again = `FUZZ_SEED=${details.seed} FUZZ_PATH=${details.counterexamplePath} npm run fuzz -- -t "${name}"`;
	throw new Error(`${again}\n${fc.defaultReportMessage(details) ?? ''}`, {
		cause: details.errorInstance,
	});
}
