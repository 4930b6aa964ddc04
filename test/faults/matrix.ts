import pLimit from 'p-limit';
import { Bench } from './bench';
import { runCell, runUsually } from './cell';
import type { Run, Target } from './cell';
import { concerns, FAULTS } from './faults';
import type { Fault } from './faults';
import { operationSteps } from './operations';
import type { Step } from './step';
import { triggerSteps } from './triggers';

/** One fault at one request of a step, once or for good, and what came of it. */
export interface Cell extends Target {
	fault: Fault;
	isOnce: boolean;
	run: Run;
}

const STEPS: readonly Step[] = [...operationSteps, ...triggerSteps];
export const SECTIONS: readonly string[] = [...new Set(STEPS.map(({ section }) => section))];

/** Few enough that none waits for the others so long that its request ends. */
const limit = pLimit(12);
const all = new Set<Bench>();
const idle: Bench[] = [];

/** Lends a sandbox, so that many cells run at a time. */
async function withBench<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
	return await limit(async () => {
		const bench = idle.pop() ?? (await Bench.start());
		all.add(bench);
		const result = await work(bench);
		idle.push(bench);
		return result;
	});
}

/**
 * Runs steps with faults at their requests, many at a time.
 *
 * @param isWhole every fault at each request, once and for good; else each fault with each step, but at one of its
 *   requests, and once or for good by turns
 */
export async function runMatrix(isWhole: boolean): Promise<Cell[]> {
	const cells = await Promise.all(STEPS.map(async (step) => await runStep(step, isWhole)));
	await Promise.all([...all].map(async (bench) => await bench.close()));
	return cells.flat();
}

async function runStep(step: Step, isWhole: boolean): Promise<Cell[]> {
	const usual = await withBench(async (bench) => await runUsually(bench, step));
	const asked = usual.rows.filter((row) => row !== 'PUT /user_auth' || usual.rows.length === 1);
	const cells = triesOf(step, asked, isWhole).map(async ({ row, fault, isOnce }) => {
		const times = isOnce ? 1 : undefined;
		const work = async (bench: Bench) =>
			await runCell(bench, { step, row }, fault, { times, usual });
		return { step, row, fault, isOnce, run: await withBench(work) };
	});
	return await Promise.all(cells);
}

/** What is tried of a step: everything, or each fault at one request, so that all of its requests have their turn. */
function triesOf(step: Step, rows: string[], isWhole: boolean): Array<Omit<Cell, 'run' | 'step'>> {
	return FAULTS.flatMap((fault, index) => {
		const struck = rows.filter((row) => concerns(fault, row));
		if (isWhole)
			return struck.flatMap((row) => [true, false].map((isOnce) => ({ row, fault, isOnce })));
		const turn = index + STEPS.indexOf(step);
		const row = struck[turn % struck.length];
		const isOnce = Math.floor(turn / struck.length) % 2 === 0;
		return row === undefined ? [] : [{ row, fault, isOnce }];
	});
}
