/**
 * Measures, and writes docs/performance.md with its charts.
 *
 *   npm run bench                  everything
 *   npm run bench -- reads cdrs    some slices; the others keep their stored results
 *   npm run bench -- --compare     again: notes beside each stored ratio what came this time
 *   npm run bench -- --light       little of everything, without writing: does it work?
 *   npm run bench -- --page        only the page and the charts, from the stored results
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { ROOT } from '../n8n';
import { runAsCommand } from '../setup/failure.mjs';
import { drawChart } from './chart';
import { isRepeated } from './measure';
import type { Claim, Slice } from './measure';
import { makePage, PAGE_FILE, sectionsOf } from './page';
import { readResult, RESULTS, stampRun, withAgain, writeResult } from './results';
import { SLICES } from './slices';

const NAMES = SLICES.map(({ name }) => name);
const command = new Command('npm run bench --')
	.description('Measures beside what a user would use instead, and writes docs/performance.md')
	.argument('[slices...]', `only these of ${NAMES.join(', ')}`)
	.option('--compare', 'again: notes beside each stored ratio what came this time')
	.option('--light', 'little of everything, without writing: does it work?')
	.option('--page', 'only the page and the charts, from the stored results')
	.parse();
const values = command.opts<{ compare?: boolean; light?: boolean; page?: boolean }>();

async function main(): Promise<void> {
	const unknown = command.args.find((name) => !NAMES.includes(name));
	if (unknown) command.error(`There is no slice “${unknown}”; there are: ${NAMES.join(', ')}`);
	const all = command.args.length === 0;
	const chosen = SLICES.filter(({ name }) => all || command.args.includes(name));
	if (!values.page) for (const slice of chosen) await runOne(slice);
	if (!values.light) writePage();
}

async function runOne({ name, title, measure }: Slice): Promise<void> {
	console.log(`\n▸ ${title}`);
	const began = performance.now();
	const claims = await measure(!values.light);
	console.table(
		claims.map(({ aim, spread, ...rest }) => ({
			...rest,
			spread: spread.join(' – '),
			aim: aim?.atMost,
		})),
	);
	if (values.compare) compareOne(name, claims);
	else if (!values.light) writeResult(name, { ...stampRun(performance.now() - began), claims });
}

function compareOne(name: string, claims: readonly Claim[]): void {
	const stored = readResult(name);
	if (!stored) throw new Error(`${name} has no stored run to compare with`);
	const compared = withAgain(stored, claims);
	for (const one of compared.claims) {
		const isWithin = isRepeated(one);
		if (!isWithin) process.exitCode = 1;
		console.log(
			`${isWithin ? '✔' : '✖'} ${one.what} to ${one.against}: ${one.again}, stated ${one.spread.join(' – ')}`,
		);
	}
	writeResult(name, compared);
}

function writePage(): void {
	const sections = sectionsOf(SLICES);
	writeFileSync(path.join(ROOT, PAGE_FILE), makePage(sections));
	for (const { slice, result } of sections)
		writeFileSync(path.join(RESULTS, `${slice.name}.svg`), drawChart(slice.title, result.claims));
	console.log(`\nWrote ${PAGE_FILE}`);
}

void runAsCommand(main);
