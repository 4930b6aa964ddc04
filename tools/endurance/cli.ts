/**
 * Tests n8n with these nodes under kills and long load, and writes the results into docs/reliability.md.
 *
 *   npm run endurance -- kept                  events while n8n is killed, in regular and in queue mode
 *   npm run endurance -- kept --mode queue --events 2000 --seed 7
 *   npm run endurance -- soak --minutes 30     calls, routing requests and polls at half the capacity
 *   npm run endurance -- page                  only the page, from the stored results
 */
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { runAsCommand } from '../setup/failure.mjs';
import { stampRun } from '../bench/results';
import { runKept } from './kept';
import { DOCUMENT, intoPage, readPage, writeResult } from './page';
import { MODES } from './rig';
import type { Mode } from './rig';
import { runSoak } from './soak';

const PAUSES = { min: 15, max: 45 };

const program = new Command('npm run endurance --').description(
	'Tests n8n with these nodes under kills and long load, and writes the results into docs/reliability.md',
);

program
	.command('kept')
	.description('sends events while n8n is killed and stopped at random')
	.addOption(new Option('--mode <mode>', 'only one mode of n8n').choices(MODES))
	.option('--events <count>', 'how many events to send in each mode', Number, 20_000)
	.option('--seed <seed>', 'makes the harms repeatable', Number, 1)
	.action(async ({ mode, events, seed }: { mode?: Mode; events: number; seed: number }) => {
		for (const one of mode ? [mode] : MODES) {
			const began = performance.now();
			const kept = await runKept({ mode: one, events, seed, pauses: PAUSES });
			console.log(one, kept);
			writeResult(`kept-${one}`, { ...stampRun(performance.now() - began), seed, ...kept });
			if (kept.lost + kept.givenUp > 0) process.exitCode = 1;
		}
	});

program
	.command('soak')
	.description('mixes calls, routing requests and polls at half the capacity')
	.option('--minutes <count>', 'how long', Number, 30)
	.action(async ({ minutes }: { minutes: number }) => {
		const began = performance.now();
		const soaked = await runSoak({ minutes, capacitySeconds: 30 });
		console.dir(soaked, { depth: null });
		writeResult('soak', { ...stampRun(performance.now() - began), ...soaked });
	});

program.command('page').description('only writes the page, from the stored results');

void runAsCommand(async () => {
	await program.parseAsync();
	writeFileSync(DOCUMENT, intoPage(readPage()));
	console.log(`Wrote ${DOCUMENT}`);
});
