// `npm run sizing`: measures how much a single n8n instance handles, and writes the tables of
// docs/internals/sizing.md; `-- board` only some of them.
import { Argument, Command } from 'commander';
import { runAsCommand } from '../../setup/failure.mjs';
import { publish } from '../publish';
import { measureBoard } from './board';
import { measureEvents } from './events';
import { measureStatistics } from './statistics';

/** Measurements by their name on the command line and in the page's markers. */
const SLICES = { sizing: measureEvents, board: measureBoard, statistics: measureStatistics };
const NAMES = Object.keys(SLICES) as Array<keyof typeof SLICES>;

const command = new Command('npm run sizing --')
	.description(
		'Measures how much a single n8n instance handles, and writes docs/internals/sizing.md',
	)
	.addArgument(new Argument('[slices...]', 'only these').choices(NAMES).default(NAMES))
	.action(async (names: typeof NAMES) => {
		for (const name of names) await publish('sizing.md', name, SLICES[name]);
	});

void runAsCommand(async () => await command.parseAsync());
