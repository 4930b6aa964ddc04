import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { Bench } from 'tinybench';
import { defaultSeed, startSandbox } from '../../../sandbox';
import { generateCdrs } from '../../../sandbox/control/generate';
import { loadBundled } from '../hot/bundled';
import type * as HotPaths from '../hot/paths';
import { claim, rounded } from '../measure';
import type { Effort, Measured, Slice } from '../measure';
import { median } from '../statistics';

const GROWTH = [1, 10, 100];
const AIM = { atMost: 1 };
/** Short ones in a round, of which the median counts: the machine is slow for a moment now and then. */
const TURNS = 5;
const PATHS = path.join(__dirname, '../hot/paths.ts');

/** The steps that every event and every record takes, without network and without n8n. */
export const hot: Slice = {
	name: 'hot',
	title: 'Hot paths: an event, a call record',
	method:
		'One event with its secret as the PBX sends it, and one call record; rival: `JSON.parse` of the same bytes, and for the whole event and the record code that takes nothing but this very form. Ours is bundled into one file, as it is published, and gets the body as text and as n8n has parsed it, as each delivery of JSON comes to the trigger. Microseconds per call; of a round, the median of five turns.',
	notes:
		'Each step has the aim; the whole is all three. The floors are code that gives the same for this one event, and for this one record, and nothing else: one spelling of each field, one place of the secret, no check. What ours takes beyond is for events and records in any spelling and any form, and for refusing what is none. Per event it is a thousandth of what n8n takes to start an execution, see the events above.',
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	const { makePaths } = loadBundled<typeof HotPaths>(PATHS);
	const { event, record, whole } = makePaths(await someRecord());
	const rounds = effort === 'full' ? 9 : 1;
	const time = effort === 'full' ? 60 : 20;
	const figures = new Map<string, number[][]>();
	for (let turn = -TURNS; turn < rounds * TURNS; turn++) {
		const bench = new Bench({ time, warmupTime: time / 3 });
		for (const [name, path] of Object.entries({ ...event, ...record })) bench.add(name, path);
		await bench.warmup();
		await bench.run();
		for (const { name, result } of turn < 0 ? [] : bench.tasks) {
			const all = figures.get(name) ?? [];
			(all[Math.floor(turn / TURNS)] ??= []).push(median(result?.samples ?? []) * 1000);
			figures.set(name, all);
		}
	}
	const of = (name: string) => (figures.get(name) ?? []).map(median);
	const claims = [
		...['parse', 'verify', 'simplify', 'parse, verify and simplify'].map((name) =>
			claim(
				{ what: `event: ${name}`, against: 'JSON.parse', unit: 'µs', aim: AIM },
				of(name),
				of('JSON.parse of the event'),
			),
		),
		claim(
			{ what: 'event: parse, verify and simplify', against: 'plain code (floor)', unit: 'µs' },
			of('parse, verify and simplify'),
			of('plain code'),
		),
		claim(
			{ what: 'record: convert', against: 'JSON.parse', unit: 'µs', aim: AIM },
			of('convert'),
			of('JSON.parse of the record'),
		),
		claim(
			{ what: 'record: convert', against: 'plain code (floor)', unit: 'µs' },
			of('convert'),
			of('plain conversion'),
		),
	];
	return { claims, growth: [growthOf(whole)] };
}

function growthOf(whole: () => unknown) {
	const points = GROWTH.map((factor) => {
		const work = factor * 1000;
		const began = performance.now();
		for (let count = 0; count < work; count++) whole();
		return { work, value: rounded(performance.now() - began) };
	});
	return { what: 'events parsed, verified and simplified', unit: 'ms', points };
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
