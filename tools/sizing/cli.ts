/**
 * Measures and computes how many processes of n8n calls need, and writes it into docs/sizing.md and docs/queue-mode.md.
 *
 *   npm run sizing -- settings        n8n's settings beside each other (about 20 minutes a round)
 *   npm run sizing -- check           1, 2, and 4 webhook processes and workers, for the model (about 35 minutes)
 *   npm run sizing -- simulate        what up to 10,000 calls a second need, by the model (about a minute)
 *   npm run sizing -- page            only the pages, from the stored results
 */
import { Command } from 'commander';
import { stampRun, store } from '../bench/results';
import { runAsCommand } from '../setup/failure.mjs';
import { writePages } from './document';
import { measure, medianOf } from './measure';
import type { Measured } from './measured';
import { addModelCommands } from './modelCommands';
import { ROWS } from './settings';

const program = new Command('npm run sizing --').description(
	'Measures and computes how many processes of n8n calls need, and writes the pages',
);

program
	.command('settings')
	.description("measures n8n's settings beside each other")
	.option('--rounds <count>', 'how often, in turns', Number, 2)
	.option('--seconds <count>', 'how long each load', Number, 12)
	.action(async ({ rounds, seconds }: { rounds: number; seconds: number }) => {
		const began = performance.now();
		const runs: Measured[][] = ROWS.map(() => []);
		for (let round = 0; round < rounds; round++) {
			for (const [index, settings] of ROWS.entries()) {
				const measured = await measure(settings, seconds);
				console.log(JSON.stringify(measured));
				runs[index]?.push(measured);
			}
		}
		store('sizing', 'settings', {
			...stampRun(performance.now() - began),
			rounds,
			rows: runs.map(medianOf),
		});
	});

addModelCommands(program);
program.command('page').description('only writes the pages, from the stored results');

void runAsCommand(async () => {
	await program.parseAsync();
	writePages();
});
