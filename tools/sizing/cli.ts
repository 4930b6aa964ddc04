/** `npm run sizing`: measures how much one n8n takes, and writes the table of docs/internals/sizing.md (about 6 minutes). */
import { MODES } from '../endurance/rig';
import { figure, stamped, writeTable } from '../measured';
import { runAsCommand } from '../setup/failure.mjs';
import { BURST, measure } from './measure';
import type { Measured } from './measure';

const SECONDS = 12;
const PLACES = { regular: 'one n8n, SQLite', queue: 'queue mode, 1 webhook process and 1 worker' };
const HEAD = [
	'How n8n runs',
	'Expression engine',
	'Events a second',
	'Routing answer, p50 / p99 (ms)',
	'Memory, at rest / under events (MiB)',
	`${BURST.amount} events at once: accepted within ${BURST.patience} s`,
	`${BURST.amount} events at once: memory above rest (MiB)`,
];

const cellsOf = ({ mode, engine, perSecond, answer, memory, burst }: Measured): string[] => [
	PLACES[mode],
	engine,
	figure(perSecond),
	`${figure(answer.p50)} / ${figure(answer.p99)}`,
	`${figure(memory.rest)} / ${figure(memory.peak)}`,
	String(burst.accepted),
	figure(burst.memory),
];

async function measureAll(): Promise<Measured[]> {
	const all: Measured[] = [];
	for (const mode of MODES)
		for (const engine of ['default', 'lazy'] as const) {
			const measured = await measure({ mode, engine }, SECONDS);
			console.log(measured);
			all.push(measured);
		}
	return all;
}

void runAsCommand(async () => {
	const { result, stamp } = await stamped(measureAll);
	writeTable('sizing.md', 'sizing', { rows: [HEAD, ...result.map(cellsOf)], stamp });
});
