// Tests n8n with this package under kills and long load, and writes the results to
// docs/internals/reliability.md.
import { Command } from 'commander';
import { publish } from '../publish';
import { MODES } from '../../n8n';
import type { Mode } from '../../n8n';
import { runAsCommand } from '../../setup/failure.mjs';
import { PROFILES, runKept } from './kept';
import type { Kept, KeptOrder } from './kept';
import { startRig } from './rig';
import { CALLS_A_SECOND, runSoak } from './soak';
import type { Soaked } from './soak';

const PAGE = 'reliability.md';
/** When to inject faults in each run of `kept`. */
const FAULT_PLAN = { seed: 1, pauses: { min: 15, max: 45 } };

const program = new Command('npm run endurance --').description(
	'Tests n8n with this package under kills and long load, and writes the results to docs/internals/reliability.md',
);

program
	.command('kept')
	.description('places calls while n8n is killed and stopped at random')
	.option('--events <count>', 'how many events to send in each run', Number, 5000)
	.action(async ({ events }: { events: number }) => {
		for (const profile of PROFILES)
			for (const mode of MODES) await keep(mode, { ...FAULT_PLAN, profile, events });
	});

program
	.command('soak')
	.description('mixes calls, routing requests, and polls')
	.option('--minutes <count>', 'how long', Number, 30)
	.action(async ({ minutes }: { minutes: number }) => {
		await publish(PAGE, 'soak', async () => rowsOfSoak(await runSoak(minutes)));
	});

async function keep(mode: Mode, order: KeptOrder): Promise<void> {
	const { profile, seed } = order;
	await publish(PAGE, `kept-${profile}-${mode}`, async () => {
		const rig = await startRig(mode);
		const kept = await runKept(rig, order).finally(rig.dispose);
		if (kept.forgotten + kept.lost + kept.withoutNote + kept.withTwoNotes > 0) process.exitCode = 1;
		return [[`${profile}, ${mode} mode, seed ${seed}`, ''], ...rowsOfKept(kept)];
	});
}

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

const rowsOfSoak = ({ events, routing, records, ...soaked }: Soaked): string[][] => [
	['', `in ${soaked.minutes} minutes`],
	['calls', `${number(soaked.calls)}, ${CALLS_A_SECOND} a second`],
	[
		'events',
		`${number(events.sent)} sent, ${number(events.acknowledged)} got 200; the trigger accepts ${number(events.wanted)} of them, ${number(events.executions)} have an execution`,
	],
	[
		'routing requests',
		`${number(routing.asked)}, ${number(routing.byWorkflow)} answered by the workflow, the rest by the fallback; p50 ${routing.p50} ms, p99 ${routing.p99} ms`,
	],
	[
		'calls from the Call Record Trigger',
		`${number(records.calls)}; ${records.missing} missing, ${records.twice} twice`,
	],
	['executions', list(soaked.executions)],
	['lowest heap of each tenth (MiB)', soaked.lowestHeap.join(', ')],
];

void runAsCommand(async () => await program.parseAsync());
