import { Bench } from './bench';
import { runCell, runWithoutFault } from './cell';
import type { Run, Target } from './cell';
import { canAffect, FAULTS } from './faults';
import type { Fault } from './faults';
import { operationSteps } from './operations';
import type { Step } from './step';
import { triggerSteps } from './triggers';

/** A step, a fault in one of its requests (once or permanent), and the result. */
export interface Cell extends Target {
	fault: Fault;
	isOnce: boolean;
	run: Run;
}

const STEPS: readonly Step[] = [...operationSteps, ...triggerSteps];
export const SECTIONS: readonly string[] = [...new Set(STEPS.map(({ section }) => section))];

/** Low enough that no request times out while waiting for other cells. */
const BENCHES = 12;
let benches: Array<Promise<Bench>> = [];
const idle: Bench[] = [];
const waiting: Array<(bench: Bench) => void> = [];

async function takeBench(): Promise<Bench> {
	const known = idle.pop();
	if (known) return known;
	if (benches.length >= BENCHES)
		return await new Promise<Bench>((resolve) => waiting.push(resolve));
	const started = Bench.start();
	benches.push(started);
	return await started;
}

/** Runs work on an idle or new sandbox, so that cells run in parallel. */
async function withBench<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
	const bench = await takeBench();
	const result = await work(bench);
	const next = waiting.shift();
	if (next) next(bench);
	else idle.push(bench);
	return result;
}

/**
 * Runs all steps with faults in their requests, in parallel.
 *
 * @param isWhole whether to run every fault at each request, once and permanently. Otherwise, each step runs with half of
 *   the faults at one of its requests each, alternating between once and permanently
 */
export async function runMatrix(isWhole: boolean): Promise<Cell[]> {
	const cells = await Promise.all(STEPS.map(async (step) => await runStep(step, isWhole)));
	await Promise.all(benches.map(async (bench) => await (await bench).close()));
	benches = [];
	idle.length = 0;
	return cells.flat();
}

async function runStep(step: Step, isWhole: boolean): Promise<Cell[]> {
	const baseline = await withBench(async (bench) => await runWithoutFault(bench, step));
	const targets = baseline.rows.filter(
		(row) => row !== 'PUT /user_auth' || baseline.rows.length === 1,
	);
	const cells = runsOf(step, targets, isWhole).map(async ({ row, fault, isOnce }) => {
		const times = isOnce ? 1 : undefined;
		const work = async (bench: Bench) =>
			await runCell(bench, { step, row }, fault, { times, baseline });
		return { step, row, fault, isOnce, run: await withBench(work) };
	});
	return await Promise.all(cells);
}

/** Returns a step's runs: all of them, or half of the faults at one request each, rotating through its requests. */
function runsOf(step: Step, rows: string[], isWhole: boolean): Array<Omit<Cell, 'run' | 'step'>> {
	return FAULTS.flatMap((fault, index) => {
		const affected = rows.filter((row) => canAffect(fault, row));
		if (isWhole)
			return affected.flatMap((row) => [true, false].map((isOnce) => ({ row, fault, isOnce })));
		const turn = index + STEPS.indexOf(step);
		const row = affected[(turn >> 1) % affected.length];
		const isOnce = Math.floor((turn >> 1) / affected.length) % 2 === 0;
		return turn % 2 > 0 || row === undefined ? [] : [{ row, fault, isOnce }];
	});
}
