/**
 * Measures, and writes docs/performance.md with its charts.
 *
 *   npm run bench                  everything
 *   npm run bench -- reads cdrs    some slices; the others keep their stored results
 *   npm run bench -- --compare     again: notes beside each stored ratio what came this time
 *   npm run bench -- --light       little of everything, without writing: does it work?
 *   npm run bench -- --page        only the page and the charts, from the stored results
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { ROOT } from '../n8n';
import { runAsCommand } from '../setup/failure.mjs';
import { drawChart } from './chart';
import { isRepeated } from './measure';
import type { Slice } from './measure';
import { makePage, PAGE_FILE } from './page';
import { readResult, RESULTS, stampRun, withAgain, writeResult } from './results';
import type { Result } from './results';
import { intoSizing, SIZING_FILE } from './sizing';
import { SLICES } from './slices';
import { sectionsOf, storedRuns } from './stored';

const command = new Command('npm run bench --')
	.description('Measures beside what a user would use instead, and writes docs/performance.md')
	.argument('[slices...]', `only these of ${SLICES.map(({ name }) => name).join(', ')}`)
	.option('--compare', 'again: notes beside each stored ratio what came this time')
	.option('--light', 'little of everything, without writing: does it work?')
	.option('--page', 'only the page and the charts, from the stored results')
	.parse();
const values = command.opts<{ compare?: boolean; light?: boolean; page?: boolean }>();
const positionals = command.args;

async function main(): Promise<void> {
	if (!values.page) for (const slice of chosen()) await runOne(slice);
	if (!values.light) writePage();
}

function chosen(): Slice[] {
	const known = SLICES.map(({ name }) => name);
	const unknown = positionals.find((name) => !known.includes(name));
	if (unknown) command.error(`There is no slice “${unknown}”; there are: ${known.join(', ')}`);
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

function compare(name: string, { claims }: Result): void {
	const stored = readResult(name);
	if (!stored) throw new Error(`${name} has no stored run to compare with`);
	const compared = withAgain(stored, claims);
	for (const one of compared.claims) {
		const within = isRepeated(one);
		if (within === false) process.exitCode = 1;
		const [low, high] = one.spread;
		const mark = within === undefined ? '?' : within ? '✔' : '✖';
		console.log(`${mark} ${one.what} to ${one.against}: ${one.again}, stated ${low} – ${high}`);
	}
	writeResult(name, compared);
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

void runAsCommand(main);
