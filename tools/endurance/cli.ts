// Places calls while n8n is killed and stopped at random, on each profile and in both modes, and prints what became of
// them: `npm run endurance`, or `npm run endurance -- 500` for fewer events in each run.
// `-- starts 20 200 queue` only kills n8n while the record trigger starts one execution per call: 20 rounds of 200 calls.
// `-- backlog 2000` measures how it catches up with the calls of a day, with both ways of making isolates.
import { MODES } from '../n8n';
import type { Mode } from '../n8n';
import { runAsCommand } from '../setup/failure.mjs';
import { PROFILES, runKept } from './kept';
import type { Kept } from './kept';
import { startRig } from './rig';
import { runBacklog, runStarts } from './starts';

/** When to inject faults. */
const FAULT_PLAN = { seed: 1, pauses: { min: 15, max: 45 } };

const number = (value: number): string => value.toLocaleString('en-US');

const list = (counts: Record<string, number>): string =>
	Object.entries(counts)
		.map(([name, count]) => `${name} ${number(count)}`)
		.join('; ') || '0';

const rowsOfKept = (kept: Kept): string[][] => [
	['calls', number(kept.calls)],
	['their events, one for the end of each leg', number(kept.events)],
	['got 200', number(kept.acknowledged)],
	['… from an n8n instance that was still starting', number(kept.whileStarting)],
	['not sent, because the webhook was disabled', number(kept.notSent)],
	['never got 200', list(kept.failed)],
	['calls from the event trigger', number(kept.fromEventTrigger)],
	['calls only from the Call Record Trigger', number(kept.onlyFromRecordTrigger)],
	['**calls that got 200 but have no execution**', `**${number(kept.forgotten)}**`],
	['**calls lost**: from neither trigger', `**${number(kept.lost)}**`],
	['calls twice from the event trigger', number(kept.twiceByEvent)],
	['calls twice from the Call Record Trigger', number(kept.twiceByRecord)],
	['calls whose note needed Retry, because n8n died during the execution', number(kept.retried)],
	['**calls without a note in the end**', `**${number(kept.withoutNote)}**`],
	['**calls with two notes**', `**${number(kept.withTwoNotes)}**`],
	['executions', list(kept.executions)],
	['interruptions', list(kept.faults)],
];

async function printStarts(rounds: number, calls: number, modes: readonly Mode[]): Promise<void> {
	for (const mode of modes) {
		const rig = await startRig(mode, { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' });
		const started = await runStarts(rig, { rounds, calls }).finally(rig.dispose);
		if (started.withoutRow + started.withTwoSuccesses > 0) process.exitCode = 1;
		console.log(`${mode} mode, ${rounds} rounds:`, started);
	}
}

async function printBacklog(calls: number): Promise<void> {
	for (const lazy of ['true', 'false']) {
		const rig = await startRig('regular', { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: lazy });
		const backlog = await runBacklog(rig, calls).finally(rig.dispose);
		console.log(`lazy isolates ${lazy}:`, backlog);
	}
}

void runAsCommand(async () => {
	const [first, ...more] = process.argv.slice(2);
	const [rounds = 20, calls = 200] = more.map(Number).filter(Number.isFinite);
	const modes = MODES.filter((mode) => more.includes(mode));
	if (first === 'starts') return await printStarts(rounds, calls, modes.length > 0 ? modes : MODES);
	if (first === 'backlog') return await printBacklog(Number(more[0] ?? 2000));
	const events = Number(first ?? 5000);
	for (const profile of PROFILES)
		for (const mode of MODES) {
			const rig = await startRig(mode);
			const kept = await runKept(rig, { ...FAULT_PLAN, profile, events }).finally(rig.dispose);
			if (kept.forgotten + kept.lost + kept.withoutNote + kept.withTwoNotes > 0)
				process.exitCode = 1;
			console.log(`\n${profile}, ${mode} mode`);
			for (const row of rowsOfKept(kept)) console.log(`| ${row.join(' | ')} |`);
		}
});
