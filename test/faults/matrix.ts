import pLimit from 'p-limit';
import { Bench } from './bench';
import { runCell, runUsually } from './cell';
import type { Run, Target, Usual } from './cell';
import { concerns, FAULTS } from './faults';
import type { Fault } from './faults';
import { operationSteps } from './operations';
import type { Step } from './step';
import { triggerSteps } from './triggers';

const AT_ONCE = 40;

/** One fault at one request: once, and for good. */
export interface Cell {
	fault: Fault;
	once: Run;
	always: Run;
}

/** Every fault at one request of one step. */
export interface Row extends Target {
	cells: Cell[];
}

/** What the matrix found of one section. */
export interface Section {
	name: string;
	rows: Row[];
	/** Steps that send nothing. */
	offline: string[];
}

export const STEPS: readonly Step[] = [...operationSteps, ...triggerSteps];
export const SECTIONS: readonly string[] = [...new Set(STEPS.map(({ section }) => section))];

/** Lends sandboxes, so that many cells run at a time. */
class Benches {
	private readonly all: Bench[] = [];
	private readonly idle: Bench[] = [];
	private readonly limit = pLimit(AT_ONCE);

	async lend<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
		return await this.limit(async () => {
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

/** Runs every step with every fault at each of its requests, once and for good, many at a time. */
export async function runMatrix(names: readonly string[] = SECTIONS): Promise<Section[]> {
	const benches = new Benches();
	const sections = await Promise.all(names.map(async (name) => await runSection(name, benches)));
	await benches.close();
	return sections;
}

async function runSection(name: string, benches: Benches): Promise<Section> {
	const section: Section = { name, rows: [], offline: [] };
	const steps = STEPS.filter((step) => step.section === name);
	const rows = steps.map(async (step) => {
		const usual = await benches.lend(async (bench) => await runUsually(bench, step));
		if (usual.rows.length === 0) section.offline.push(step.name);
		const asked = usual.rows.filter((row) => row !== 'PUT /user_auth' || usual.rows.length === 1);
		return await Promise.all(asked.map(async (row) => await runRow({ step, row }, usual, benches)));
	});
	section.rows = (await Promise.all(rows)).flat();
	return section;
}

async function runRow(target: Target, usual: Usual, benches: Benches): Promise<Row> {
	const faults = FAULTS.filter((fault) => concerns(fault, target.row, target.step.isPatient));
	const cells = faults.map(async (fault) => {
		const run = async (times?: number) =>
			await benches.lend(async (bench) => await runCell(bench, target, fault, { times, usual }));
		const [once, always] = await Promise.all([run(1), run()]);
		return { fault, once, always };
	});
	return { ...target, cells: await Promise.all(cells) };
}
