/**
 * Measures, and writes docs/performance.md with its charts.
 *
 *   npm run bench                  everything
 *   npm run bench -- reads cdrs    some slices; the others keep their stored results
 *   npm run bench -- --compare     again, without writing: do the ratios lie within the stated spread?
 *   npm run bench -- --light       little of everything, without writing: does it work?
 *   npm run bench -- --page        only the page and the charts, from the stored results
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../n8n';
import { drawChart } from './chart';
import type { Slice } from './measure';
import { makePage, PAGE_FILE } from './page';
import { readResult, RESULTS, stampRun, writeResult } from './results';
import type { Result } from './results';
import { intoSizing, SIZING_FILE } from './sizing';
import { SLICES } from './slices';
import { sectionsOf, storedRuns } from './stored';

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		compare: { type: 'boolean', default: false },
		light: { type: 'boolean', default: false },
		page: { type: 'boolean', default: false },
	},
});

async function main(): Promise<void> {
	if (!values.page) for (const slice of chosen()) await runOne(slice);
	if (!values.compare && !values.light) writePage();
}

function chosen(): Slice[] {
	const known = SLICES.map(({ name }) => name);
	const unknown = positionals.find((name) => !known.includes(name));
	if (unknown) throw new Error(`There is no slice "${unknown}"; there are: ${known.join(', ')}`);
	return SLICES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
}

async function runOne(slice: Slice): Promise<void> {
	console.log(`\n▸ ${slice.title}`);
	const began = performance.now();
	const measured = await slice.measure(values.light ? 'light' : 'full');
	const result = { ...stampRun(performance.now() - began), ...measured };
	console.table(
		result.claims.map(({ aim, spread, ...rest }) => ({
			...rest,
			spread: spread.join(' – '),
			aim: aim?.atMost ?? aim?.atLeast,
		})),
	);
	for (const { what, points } of result.growth) console.log(what, JSON.stringify(points));
	if (values.compare) compare(slice.name, result);
	else if (!values.light) writeResult(slice.name, result);
}

function compare(name: string, again: Result): void {
	const stored = readResult(name);
	for (const { what, against, ratio } of again.claims) {
		const before = stored?.claims.find((one) => one.what === what && one.against === against);
		const [low, high] = before?.spread ?? [NaN, NaN];
		const within = ratio >= low && ratio <= high;
		if (!within) process.exitCode = 1;
		console.log(`${within ? '✔' : '✖'} ${what} to ${against}: ${ratio}, stated ${low} – ${high}`);
	}
}

function writePage(): void {
	const sections = sectionsOf(SLICES);
	writeFileSync(path.join(ROOT, PAGE_FILE), makePage(sections));
	for (const { slice, result } of sections)
		writeFileSync(path.join(RESULTS, `${slice.name}.svg`), drawChart(slice.title, result.claims));
	const sizing = path.join(ROOT, SIZING_FILE);
	writeFileSync(sizing, intoSizing(readFileSync(sizing, 'utf8'), storedRuns()));
	console.log(`\nWrote ${PAGE_FILE}`);
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
