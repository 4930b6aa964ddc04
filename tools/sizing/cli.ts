/**
 * `npm run sizing`: measures how much one n8n takes, and writes the table of docs/internals/sizing.md (about 8 minutes).
 * `npm run sizing -- 2.39.5` measures that version of n8n, too, and installs it first.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { MODES } from '../endurance/rig';
import { figure, stamped, writeTable } from '../measured';
import { readSetup } from '../n8n';
import { runAsCommand } from '../setup/failure.mjs';
import { installOtherN8n } from '../setup/n8n.mjs';
import { BURST, measure } from './measure';
import type { Measured } from './measure';

const SECONDS = 12;
const ENGINES_TO_MEASURE = ['default', 'lazy'] as const;
const PLACES = { regular: 'one n8n, SQLite', queue: 'queue mode, 1 webhook process and 1 worker' };
const HEAD = [
	'How n8n runs',
	'n8n',
	'Expression engine',
	'Events a second',
	'Routing answer, p50 / p99 (ms)',
	'Memory, at rest / under events (MiB)',
	`${BURST.amount} events at once: accepted within ${BURST.patience} s`,
	`${BURST.amount} events at once: memory above rest (MiB)`,
];

interface Row extends Measured {
	version: string;
}

const cellsOf = ({ mode, version, engine, perSecond, answer, memory, burst }: Row): string[] => [
	PLACES[mode],
	version,
	engine,
	figure(perSecond),
	`${figure(answer.p50)} / ${figure(answer.p99)}`,
	`${figure(memory.rest)} / ${figure(memory.peak)}`,
	String(burst.accepted),
	figure(burst.memory),
];

/** The versions of n8n to measure: the pinned one, and before it the one that the command names. */
async function scriptsOf(): Promise<string[]> {
	const { n8n } = readSetup();
	const [version] = process.argv.slice(2);
	return version ? [await installOtherN8n(version), n8n] : [n8n];
}

function versionOf(script: string): string {
	const file = path.join(path.dirname(script), '../package.json');
	return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** The engine was not to be chosen before n8n 2.41, so another version is measured as it is. */
async function measureAll(scripts: string[]): Promise<Row[]> {
	const all: Row[] = [];
	const pinned = scripts.at(-1);
	for (const mode of MODES)
		for (const script of scripts)
			for (const engine of script === pinned ? ENGINES_TO_MEASURE : (['default'] as const)) {
				process.env.OTHER_N8N = script;
				const row = {
					version: versionOf(script),
					...(await measure({ mode, engine }, SECONDS)),
				};
				console.log(row);
				all.push(row);
			}
	return all;
}

void runAsCommand(async () => {
	const scripts = await scriptsOf();
	const { result, stamp } = await stamped(async () => await measureAll(scripts));
	writeTable('sizing.md', 'sizing', { rows: [HEAD, ...result.map(cellsOf)], stamp });
});
