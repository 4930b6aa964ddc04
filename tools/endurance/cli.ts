// Places calls while n8n is killed and stopped at random, on each profile and in both modes, and prints what became of
// them: `npm run endurance`, or `npm run endurance -- 500` for fewer events in each run.
import { MODES } from '../n8n';
import { runAsCommand } from '../setup/failure.mjs';
import { PROFILES, runKept } from './kept';
import type { Kept } from './kept';
import { startRig } from './rig';

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

void runAsCommand(async () => {
	const events = Number(process.argv[2] ?? 5000);
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
