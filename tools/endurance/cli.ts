// Places calls while n8n is killed and stopped at random, on each profile and in both modes, and prints what became of
// them: `npm run endurance`, or `npm run endurance -- 500` for fewer events in each run.
// `-- starts 20 200 queue` only kills n8n while the record trigger starts one execution per call: 20 rounds of 200 calls.
// `-- backlog 2000` measures how it catches up with the calls of a day, with both ways of making isolates.
import { MODES } from '../n8n';
import { runAsCommand } from '../setup/failure.mjs';
import { startRig } from './rig';
import type { Rig } from './rig';
import { PROFILES, runKept } from './runs';
import { runBacklog, runStarts } from './starts';

/** Counts that must be 0. */
const FAULTS = [
	...['forgotten', 'lost', 'withoutNote', 'withTwoNotes'],
	...['withoutRow', 'withTwoSuccesses', 'missing'],
];

async function measure(
	run: (rig: Rig) => Promise<object>,
	title: string,
	...how: Parameters<typeof startRig>
): Promise<void> {
	const rig = await startRig(...how);
	const counts = await run(rig).finally(rig.dispose);
	console.log(`\n${title}, ${how[0]} mode:`, counts);
	const isFault = ([name, count]: [string, unknown]) => FAULTS.includes(name) && Number(count) > 0;
	if (Object.entries(counts).some(isFault)) process.exitCode = 1;
}

void runAsCommand(async () => {
	const words = process.argv.slice(2);
	const [first, second = 200] = words.map(Number).filter(Number.isFinite);
	const pauses = { min: 15, max: 45 };
	if (words.includes('backlog')) {
		const run = async (rig: Rig) => await runBacklog(rig, first ?? 2000);
		for (const lazy of ['true', 'false']) {
			const env = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: lazy };
			await measure(run, `lazy isolates: ${lazy}`, 'regular', env);
		}
		return;
	}
	const chosen = MODES.filter((mode) => words.includes(mode));
	for (const mode of chosen.length > 0 ? chosen : MODES) {
		const starts = async (rig: Rig) => await runStarts(rig, { rounds: first ?? 20, calls: second });
		if (words.includes('starts')) await measure(starts, 'one execution per call', mode);
		else
			for (const profile of PROFILES) {
				const order = { profile, events: first ?? 5000, pauses };
				await measure(async (rig) => await runKept(rig, order), profile, mode);
			}
	}
});
