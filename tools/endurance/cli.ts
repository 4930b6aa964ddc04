/**
 * Tests n8n with these nodes under kills and long load, and writes the results into docs/reliability.md and
 * docs/front-door.md.
 *
 *   npm run endurance -- kept                  events while n8n is killed, on both profiles, in regular and in queue mode
 *   npm run endurance -- kept --profile field --mode queue --events 2000 --seed 7
 *   npm run endurance -- soak --minutes 30     calls, routing requests and polls at half the capacity
 *   npm run endurance -- storm                 more than n8n can take, behind the front door
 *   npm run endurance -- page                  only the page, from the stored results
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { runAsCommand } from '../setup/failure.mjs';
import { stampRun } from '../bench/results';
import { runKeptCalls } from './calls';
import type { CallsOrder } from './calls';
import { runKept } from './kept';
import { DOCUMENT, FRONT_DOOR, intoPage, writeResult } from './page';
import { MODES } from './rig';
import type { Mode } from './rig';
import { runSoak } from './soak';
import { ENGINES, runStorm } from './storm';
import type { Engine } from './storm';

const PAUSES = { min: 15, max: 45 };

/** The kinds of PBX (docs/sandbox.md): one that delivers again, and one that does not. */
const PROFILES = ['contract', 'field'] as const;
type Profile = (typeof PROFILES)[number];

const program = new Command('npm run endurance --').description(
	'Tests n8n with these nodes under kills and long load, and writes the results into docs/reliability.md',
);

interface KeptOptions {
	profile?: Profile;
	mode?: Mode;
	events: number;
	seed: number;
}

program
	.command('kept')
	.description('sends events while n8n is killed and stopped at random')
	.addOption(new Option('--profile <profile>', 'only one kind of PBX').choices(PROFILES))
	.addOption(new Option('--mode <mode>', 'only one mode of n8n').choices(MODES))
	.option('--events <count>', 'how many events to send in each mode', Number, 20_000)
	.option('--seed <seed>', 'makes the harms repeatable', Number, 1)
	.action(async ({ profile, mode, events, seed }: KeptOptions) => {
		for (const kind of profile ? [profile] : PROFILES)
			for (const one of mode ? [mode] : MODES) await keep(kind, { mode: one, events, seed });
	});

async function keep(
	profile: Profile,
	{ mode, ...order }: { mode: Mode; events: number; seed: number },
): Promise<void> {
	const began = performance.now();
	const { name, isWhole, result } = await run(profile, { mode, pauses: PAUSES, ...order });
	console.log(profile, mode, result);
	writeResult(name, { ...stampRun(performance.now() - began), seed: order.seed, ...result });
	if (!isWhole) process.exitCode = 1;
}

async function run(profile: Profile, order: CallsOrder) {
	if (profile === 'contract') {
		const result = await runKept(order);
		return { name: `kept-${order.mode}`, isWhole: result.lost + result.givenUp === 0, result };
	}
	const result = await runKeptCalls(order);
	const { lost, withoutNote, doubled } = result;
	const isWhole = lost + withoutNote + doubled === 0;
	return { name: `kept-field-${order.mode}`, isWhole, result };
}

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

interface StormOptions {
	mode?: Mode;
	engine?: Engine;
	seconds: number;
}

program
	.command('storm')
	.description('sends more than n8n can take, through the front door')
	.addOption(new Option('--mode <mode>', 'only one mode of n8n').choices(MODES))
	.addOption(new Option('--engine <engine>', 'only one engine for expressions').choices(ENGINES))
	.option('--seconds <count>', 'how long at twice the capacity', Number, 60)
	.action(async ({ mode, engine, seconds }: StormOptions) => {
		for (const one of mode ? [mode] : MODES)
			for (const kind of engine ? [engine] : ENGINES) {
				const began = performance.now();
				const stormed = await runStorm({ mode: one, engine: kind, seconds });
				console.dir({ mode: one, ...stormed }, { depth: null });
				writeResult(`storm-${one}-${kind}`, { ...stampRun(performance.now() - began), ...stormed });
			}
	});

program.command('page').description('only writes the page, from the stored results');

void runAsCommand(async () => {
	await program.parseAsync();
	for (const page of [DOCUMENT, FRONT_DOOR]) {
		writeFileSync(page, intoPage(readFileSync(page, 'utf8')));
		console.log(`Wrote ${page}`);
	}
});
