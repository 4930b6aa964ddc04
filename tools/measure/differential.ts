/**
 * Runs two builds on the same inputs, and compares their outputs, errors, and requests exactly:
 * `npm run differential -- <path of another checkout>` compares that one with this one. With two paths, compares both.
 * `--built` uses `dist` on both sides instead of the sources.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { Order } from './differential/child';
import type { Step } from './differential/world';

const ROOT = path.join(__dirname, '../..');
const USAGE =
	'npm run differential -- <before> [<now>] [--seed 1] [--scale 1] [--kind polls] [--scenario 5] [--show 10] [--built]';

/** Runs one checkout. Yields the lines it prints. */
async function* run(order: Order): AsyncGenerator<string, undefined> {
	const args = [
		'--import',
		'tsx',
		path.join(__dirname, 'differential/child.ts'),
		JSON.stringify(order),
	];
	const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
	const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
	for await (const line of createInterface(child.stdout)) if (line.startsWith('{')) yield line;
	const code = await ended;
	if (code !== 0) throw new Error(`The run on ${order.home} ended with ${code}`);
	return undefined;
}

/** Finds where two values differ, and how. */
function difference(before: unknown, now: unknown, place = ''): string[] {
	const isSame = JSON.stringify(before) === JSON.stringify(now);
	if (isSame) return [];
	const bothAre = [before, now].every((one) => typeof one === 'object' && one !== null);
	const text = (one: unknown) => (JSON.stringify(one) ?? 'nothing').slice(0, 600);
	if (!bothAre) return [`${place}\n      before: ${text(before)}\n      now:    ${text(now)}`];
	const [a, b] = [before, now] as [Record<string, unknown>, Record<string, unknown>];
	const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
	const found = names.flatMap((name) => difference(a[name], b[name], `${place}.${name}`));
	return found.length > 0
		? found
		: [`${place}: the order of ${Object.keys(a).join()} and ${Object.keys(b).join()}`];
}

async function main(): Promise<void> {
	const options = {
		seed: 'string',
		scale: 'string',
		kind: 'string',
		scenario: 'string',
		show: 'string',
		built: 'boolean',
	} as const;
	const { values, positionals } = parseArgs({
		options: Object.fromEntries(Object.entries(options).map(([name, type]) => [name, { type }])),
		allowPositionals: true,
	});
	const [other, own = ROOT] = positionals;
	if (other === undefined) throw new Error(USAGE);
	const given = values as Record<string, string | undefined>;
	const number = (name: string, fallback: number) => Number(given[name] ?? fallback);
	const folder = mkdtempSync(path.join(tmpdir(), 'differential-'));
	const descriptions = path.join(folder, 'descriptions.json');
	const scenario = given.scenario === undefined ? undefined : Number(given.scenario);
	const order = {
		isBuilt: Boolean(values.built),
		seed: number('seed', 1),
		scale: number('scale', 1),
		kind: given.kind,
		scenario,
	};
	try {
		const home = path.resolve(other);
		for await (const line of run({ ...order, home })) writeFileSync(descriptions, line);
		const sides = [home, path.resolve(own)].map((one) =>
			run({ ...order, descriptions, home: one }),
		);
		process.exitCode = (await compare(sides, number('show', 10))) ? 0 : 1;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function show({ kind, scenario, what }: Step, found: string[]): void {
	console.log(`${kind} --scenario ${scenario}: ${what}`);
	for (const one of found.slice(0, 4)) console.log(`   ${one}`);
}

/** Ignores the order of keys in a node's description, which isn't visible. */
function visibleDifference(old: Step, step: Step): string[] {
	const isSeen = (one: string) => old.kind !== 'descriptions' || !one.includes(': the order of ');
	return difference(old, step).filter(isSeen);
}

/** Compares two runs input by input, and prints the differences. Returns whether there are none. */
async function compare(
	sides: Array<AsyncGenerator<string, undefined>>,
	limit: number,
): Promise<boolean> {
	const counts = new Map<string, { inputs: number; failed: number; different: number }>();
	let shown = 0;
	for (;;) {
		const [before, now] = await Promise.all(sides.map(async (side) => (await side.next()).value));
		if (before === undefined && now === undefined) break;
		if (before === undefined || now === undefined)
			throw new Error('One side returned fewer results');
		const [old, step] = [before, now].map((line) => JSON.parse(line) as Step) as [Step, Step];
		const count = counts.get(old.kind) ?? { inputs: 0, failed: 0, different: 0 };
		counts.set(old.kind, count);
		count.inputs++;
		if ((old.outcome as { error?: unknown } | undefined)?.error !== undefined) count.failed++;
		const found = before === now ? [] : visibleDifference(old, step);
		if (found.length === 0) continue;
		count.different++;
		if (shown++ >= limit) continue;
		show(old, found);
	}
	console.table(Object.fromEntries(counts));
	const all = [...counts.values()];
	const sum = (name: 'inputs' | 'different') => all.reduce((total, one) => total + one[name], 0);
	console.log(`${sum('inputs').toLocaleString('en-US')} inputs, ${sum('different')} differences`);
	return sum('different') === 0;
}

void main();
