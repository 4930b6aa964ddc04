/**
 * Measures beside what a user would use instead, and writes the tables of docs/internals/performance.md.
 *
 *   npm run bench                  everything
 *   npm run bench -- reads cdrs    some slices; the others keep their tables
 */
import { Command } from 'commander';
import { stamped, writeTable } from '../measured';
import { runAsCommand } from '../setup/failure.mjs';
import { isMet } from './measure';
import type { Claim } from './measure';
import { SLICES } from './slices';

const NAMES = SLICES.map(({ name }) => name);
const command = new Command('npm run bench --')
	.description(
		'Measures beside what a user would use instead, and writes docs/internals/performance.md',
	)
	.argument('[slices...]', `only these of ${NAMES.join(', ')}`)
	.parse();

const HEAD = ['What', 'Against', 'Ours', 'Theirs', 'Ratio (spread)', 'Aim'];

const cellsOf = (one: Claim): string[] => [
	`${one.what} (${one.unit})`,
	one.against,
	String(one.ours),
	String(one.theirs),
	`**${one.ratio}** (${one.spread.join('–')})`,
	one.aim ? `≤${one.aim.atMost} ${isMet(one) ? '✔' : '✘'}` : '',
];

void runAsCommand(async () => {
	const unknown = command.args.find((name) => !NAMES.includes(name));
	if (unknown) command.error(`There is no slice “${unknown}”; there are: ${NAMES.join(', ')}`);
	const all = command.args.length === 0;
	for (const { name, measure } of SLICES) {
		if (!all && !command.args.includes(name)) continue;
		console.log(`\n▸ ${name}`);
		const { result, stamp } = await stamped(measure);
		const rows = [HEAD, ...result.map(cellsOf)];
		console.table(rows);
		writeTable('performance.md', name, { rows, stamp });
	}
});
