// Benchmarks this package against what a user would use instead, and writes the tables of
// docs/internals/performance.md. `npm run bench -- reads cdrs` runs only these slices; the others
// keep their tables.
import { Argument, Command } from 'commander';
import { publish } from '../publish';
import { runAsCommand } from '../../setup/failure.mjs';
import type { Claim } from './measure';
import { measureCdrs } from './slices/cdrs';
import { measureEvents } from './slices/events';
import { measureReads } from './slices/reads';
import { measureRecording } from './slices/recording';
import { measureRouting } from './slices/routing';

/** Slices by their name on the command line and in the page's markers, in the page's order. */
const SLICES = {
	events: measureEvents,
	routing: measureRouting,
	reads: measureReads,
	cdrs: measureCdrs,
	recording: measureRecording,
};
const NAMES = Object.keys(SLICES) as Array<keyof typeof SLICES>;
const HEAD = ['What', 'Against', 'Ours', 'Theirs', 'Ratio (spread)', 'Aim'];

const cellsOf = ({ what, against, ours, theirs, ratio, spread, aim }: Claim): string[] => [
	what,
	against,
	String(ours),
	String(theirs),
	`**${ratio}** (${spread.join('–')})`,
	aim === undefined ? '' : `≤${aim} ${ratio <= aim ? '✔' : '✘'}`,
];

const command = new Command('npm run bench --')
	.description(
		'Compares this package with its alternatives, and writes docs/internals/performance.md',
	)
	.addArgument(new Argument('[slices...]', 'only these').choices(NAMES).default(NAMES))
	.action(async (names: typeof NAMES) => {
		for (const name of names) {
			console.log(`\n▸ ${name}`);
			const measure = async () => [HEAD, ...(await SLICES[name]()).map(cellsOf)];
			await publish('performance.md', name, measure);
		}
	});

void runAsCommand(async () => await command.parseAsync());
