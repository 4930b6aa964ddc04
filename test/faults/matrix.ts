import pLimit from 'p-limit';
import { Bench } from './bench';
import { runCell, runUsually } from './cell';
import type { Run, Target, Usual } from './cell';
import { concerns, FAULTS } from './faults';
import type { Fault } from './faults';
import { operationSteps } from './operations';
import type { Step } from './step';
import { triggerSteps } from './triggers';

/** Few enough that none waits for the others so long that its request ends. */
const AT_ONCE = 12;
/** Those of a slow PBX only wait. */
const WAITING_AT_ONCE = 60;

/** One fault at one request: once, and for good; a sample has one of the two. */
export interface Cell {
	fault: Fault;
	once?: Run;
	always?: Run;
}

/** Every fault at one request of one step. */
export interface Row extends Target {
	cells: Cell[];
}

/** What the matrix found of one section. */
export interface Section {
	name: string;
	rows: Row[];
}

export const STEPS: readonly Step[] = [...operationSteps, ...triggerSteps];
export const SECTIONS: readonly string[] = [...new Set(STEPS.map(({ section }) => section))];

/** Lends sandboxes, so that many cells run at a time. */
class Benches {
	private readonly all: Bench[] = [];
	private readonly idle: Bench[] = [];
	private readonly limit = pLimit(AT_ONCE);
	private readonly waitingLimit = pLimit(WAITING_AT_ONCE);

	async lend<T>(work: (bench: Bench) => Promise<T>, onlyWaits = false): Promise<T> {
		return await (onlyWaits ? this.waitingLimit : this.limit)(async () => {
			const bench = this.idle.pop() ?? (await this.start());
			const result = await work(bench);
			this.idle.push(bench);
			return result;
		});
	}

	async close(): Promise<void> {
		await Promise.all(this.all.map(async (bench) => await bench.close()));
	}

	private async start(): Promise<Bench> {
		const bench = await Bench.start();
		this.all.push(bench);
		return bench;
	}
}

/**
 * Runs steps with faults at their requests, many at a time.
 *
 * @param isWhole every fault at each request, once and for good; else each fault with each step, but at one of its
 *   requests, and once or for good by turns
 */
export async function runMatrix(isWhole: boolean): Promise<Section[]> {
	const benches = new Benches();
	const sections = await Promise.all(
		SECTIONS.map(async (name) => await runSection(name, { benches, isWhole })),
	);
	await benches.close();
	return sections;
}

interface Plan {
	benches: Benches;
	isWhole: boolean;
}

async function runSection(name: string, plan: Plan): Promise<Section> {
	const steps = STEPS.filter((step) => step.section === name);
	const rows = steps.map(async (step) => {
		const usual = await plan.benches.lend(async (bench) => await runUsually(bench, step));
		const asked = usual.rows.filter((row) => row !== 'PUT /user_auth' || usual.rows.length === 1);
		const tries = triesOf(step, asked, plan.isWhole);
		return await Promise.all(
			asked.map(async (row) => {
				const own = tries.filter((one) => one.row === row);
				return await runRow({ step, row }, own, { usual, benches: plan.benches });
			}),
		);
	});
	return { name, rows: (await Promise.all(rows)).flat() };
}

/** One fault at one request, to be tried once, for good, or both. */
interface Try {
	row: string;
	fault: Fault;
	isOnce: boolean;
	isAlways: boolean;
}

/** What is tried of a step: everything, or each fault at one request, so that all of its requests have their turn. */
function triesOf(step: Step, rows: string[], isWhole: boolean): Try[] {
	return FAULTS.flatMap((fault, index) => {
		const struck = rows.filter((row) => concerns(fault, row, step.isPatient));
		if (isWhole) return struck.map((row) => ({ row, fault, isOnce: true, isAlways: true }));
		const turn = index + STEPS.indexOf(step);
		const isOnce = Math.floor(turn / struck.length) % 2 === 0;
		return struck
			.slice(turn % struck.length)
			.slice(0, 1)
			.map((row) => ({ row, fault, isOnce, isAlways: !isOnce }));
	});
}

async function runRow(
	target: Target,
	tries: Try[],
	{ usual, benches }: { usual: Usual; benches: Benches },
): Promise<Row> {
	const cells = tries.map(async ({ fault, isOnce, isAlways }) => {
		const run = async (times?: number) =>
			await benches.lend(
				async (bench) => await runCell(bench, target, fault, { times, usual }),
				Boolean(fault.waitMs),
			);
		const [once, always] = await Promise.all([isOnce && run(1), isAlways && run()]);
		return { fault, ...(once && { once }), ...(always && { always }) };
	});
	return { ...target, cells: await Promise.all(cells) };
}
