// Places calls while n8n is killed and stopped at random, on each profile and in both modes, and prints what became of
// them: `npm run endurance`, or `npm run endurance -- 500` for fewer events in each run.
// `-- starts 20 200 queue` only kills n8n while the record trigger starts one execution per call: 20 rounds of 200 calls.
// `-- backlog 2000` measures how it catches up with the calls of a day, with both ways of making isolates.
import { MODES } from '../n8n';
import { runAsCommand } from '../setup/failure.mjs';
import { startRig } from './rig';
import { PROFILES, runKept } from './runs';
import { runBacklog, runStarts } from './starts';

/** When to inject faults. */
const FAULT_PLAN = { seed: 1, pauses: { min: 15, max: 45 } };

/** Without lazy isolates, n8n makes one per execution. */
const ENGINES = ['true', 'false'].map((lazy) => ({ N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: lazy }));

async function printBacklog(calls: number): Promise<void> {
	for (const engine of ENGINES) {
		const rig = await startRig('regular', engine);
		const backlog = await runBacklog(rig, calls).finally(rig.dispose);
		if (backlog.started < calls) process.exitCode = 1;
		console.log(engine, backlog);
	}
}

void runAsCommand(async () => {
	const words = process.argv.slice(2);
	const numbers = words.map(Number).filter(Number.isFinite);
	if (words.includes('backlog')) return await printBacklog(numbers[0] ?? 2000);
	const chosen = MODES.filter((mode) => words.includes(mode));
	const isStarts = words.includes('starts');
	for (const mode of chosen.length > 0 ? chosen : MODES)
		for (const profile of isStarts ? (['contract'] as const) : PROFILES) {
			const rig = await startRig(mode);
			const [first = isStarts ? 20 : 5000, calls = 200] = numbers;
			const run = isStarts
				? runStarts(rig, { rounds: first, calls })
				: runKept(rig, { ...FAULT_PLAN, profile, events: first });
			const counts = await run.finally(rig.dispose);
			console.log(`\n${profile}, ${mode} mode:`, counts);
			const faults = ['forgotten', 'lost', 'withoutNote', 'withTwoNotes', 'withoutRow'];
			const isFaulty = [...faults, 'withTwoSuccesses'].some(
				(name) => Number(counts[name as keyof typeof counts] ?? 0) > 0,
			);
			if (isFaulty) process.exitCode = 1;
		}
});
