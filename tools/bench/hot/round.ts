/**
 * One round of the hot paths, in a process of its own: what the compiler makes of them differs from process to process.
 * Prints the microseconds per call of each path by name, and how long some amounts of whole events take.
 *
 *   npx tsx tools/bench/hot/round.ts <milliseconds per path and turn> [events ...]
 */
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { Bench } from 'tinybench';
import { defaultSeed, startSandbox } from '../../../sandbox';
import { generateCdrs } from '../../../sandbox/control/generate';
import { rounded } from '../measure';
import { median } from '../statistics';
import { loadBundled } from './bundled';
import type * as HotPaths from './paths';

/** Of which the median counts: the machine is slow for a moment now and then. The first one warms up. */
const TURNS = 5;

/** What a round gives. */
export interface Round {
	/** Microseconds per call, by path. */
	times: Record<string, number>;
	/** Milliseconds of so many whole events. */
	points: Array<{ work: number; value: number }>;
}

async function main(): Promise<void> {
	const [time = 0, ...amounts] = process.argv.slice(2).map(Number);
	const { makePaths } = loadBundled<typeof HotPaths>(path.join(__dirname, 'paths.ts'));
	const { event, record, whole } = makePaths(await someRecord());
	const turns = new Map<string, number[]>();
	for (let turn = 0; turn <= TURNS; turn++) {
		const bench = new Bench({ time, warmupTime: time / 3 });
		for (const [name, run] of Object.entries({ ...event, ...record })) bench.add(name, run);
		await bench.warmup();
		await bench.run();
		for (const { name, result } of turn === 0 ? [] : bench.tasks)
			turns.set(name, [...(turns.get(name) ?? []), median(result?.samples ?? []) * 1000]);
	}
	const times = Object.fromEntries([...turns].map(([name, all]) => [name, median(all)]));
	const round: Round = { times, points: amounts.map((work) => timed(whole, work)) };
	console.log(JSON.stringify(round));
}

function timed(whole: () => unknown, work: number): Round['points'][number] {
	const began = performance.now();
	for (let count = 0; count < work; count++) whole();
	return { work, value: rounded(performance.now() - began) };
}

async function someRecord(): Promise<IDataObject> {
	const sandbox = await startSandbox({ seed: defaultSeed });
	try {
		const range = { count: 1, from: 63_962_000_000, to: 63_962_000_001 };
		const [record] = generateCdrs(sandbox.pbx.firstAccount, range);
		return { ...record };
	} finally {
		await sandbox.close();
	}
}

void main();
