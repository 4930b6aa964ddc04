import { Option } from 'commander';
import type { Command } from 'commander';
import type { Engine } from './measured';
import { COUNTS, storeCheck, storeNeeds } from './stored';

/** The engines that a cluster may choose between (docs/queue-mode.md). */
const CHECKED: readonly Engine[] = ['vm', 'legacy'];

/** Adds the commands of the model. */
export function addModelCommands(program: Command): void {
	program
		.command('check')
		.description(
			'measures how several webhook processes and workers bear random arrivals and a burst',
		)
		.addOption(new Option('--engine <engine>', 'only one engine').choices(CHECKED))
		.addOption(new Option('--count <count>', 'only so many of each').choices(COUNTS.map(String)))
		.action(async ({ engine, count }: { engine?: Engine; count?: string }) => {
			for (const one of engine ? [engine] : CHECKED)
				for (const many of count ? [Number(count)] : COUNTS)
					await storeCheck({ engine: one, count: many });
		});
	program
		.command('simulate')
		.description('simulates what calls need, from the settings and the checks')
		.action(storeNeeds);
}
