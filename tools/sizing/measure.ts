import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox';
import { ask, makeEventFlow, send, tryToSend } from '../bench/events';
import { activate, answerFlows } from '../bench/flow';
import { ENGINES } from '../bench/measure';
import type { Engine } from '../bench/measure';
import { forgetPeak, residentMb } from '../bench/memory';
import { withCleanups } from '../cleanups';
import { startRig } from '../endurance/rig';
import type { Mode, Rig } from '../endurance/rig';

/** One way to run n8n. */
export interface Setup {
	mode: Mode;
	engine: Engine;
}

/** What one n8n takes, in queue mode with one webhook process and one worker. */
export interface Measured extends Setup {
	/** Events a second, accepted and worked off, as fast as they go. */
	perSecond: number;
	/** Milliseconds until the routing trigger answers, one request at a time. */
	answer: { p50: number; p99: number };
	/** MiB that all processes of n8n hold: at rest, and at most while the events come. */
	memory: { rest: number; peak: number };
	/** Many events at one moment: how many n8n accepts while a PBX waits, and MiB above rest. */
	burst: { accepted: number; memory: number };
}

const CALLERS = 10;
const QUESTIONS = 100;
/** Events at one moment. */
export const BURST = { callers: 300, amount: 300, patience: 10 };
const LOOK_MS = 250;
const SAVED = { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' };

/**
 * Measures one way to run n8n, in an n8n of its own. Linux only.
 *
 * @param seconds how long events come as fast as they go
 * @throws when n8n refuses a request
 */
export async function measure({ mode, engine }: Setup, seconds: number): Promise<Measured> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const env = { ...ENGINES[engine], N8N_LOG_LEVEL: 'error' };
		const rig = await startRig(mode, { env, webhooks: 1, workers: 1 });
		later(async () => await rig.dispose());
		const flow = await makeEventFlow(rig.client, sandbox, SAVED);
		const routing = await activate(rig.client, answerFlows().ours, SAVED);
		const question = `${rig.url}${new URL(routing).pathname}`;
		const events = { ...flow, callers: CALLERS, seconds };
		await send(events);
		await ask(question, 1, QUESTIONS / 5);
		await untilDone(rig);

		const rest = memoryOf(rig, 'VmRSS');
		forgetPeaks(rig);
		const began = performance.now();
		const { accepted } = await send(events);
		await untilDone(rig);
		const perSecond = (accepted * 1000) / (performance.now() - began);
		const peak = memoryOf(rig, 'VmHWM');
		const answer = await ask(question, 1, QUESTIONS);
		await untilDone(rig);

		const before = memoryOf(rig, 'VmRSS');
		forgetPeaks(rig);
		const { accepted: taken } = await tryToSend({ ...flow, ...BURST });
		const burst = { accepted: taken, memory: memoryOf(rig, 'VmHWM') - before };
		return { mode, engine, perSecond, answer, memory: { rest, peak }, burst };
	});
}

/** Waits until n8n has no execution under way. */
async function untilDone({ client }: Rig): Promise<void> {
	for (;;) {
		const lists = (['new', 'running'] as const).map(
			async (status) => await client.listExecutions({ status }, 1),
		);
		if ((await Promise.all(lists)).flat().length === 0) return;
		await sleep(LOOK_MS);
	}
}

const memoryOf = ({ processes }: Rig, field: 'VmRSS' | 'VmHWM'): number =>
	processes.reduce((sum, { pid }) => sum + residentMb(pid, field), 0);

function forgetPeaks({ processes }: Rig): void {
	for (const { pid } of processes) forgetPeak(pid);
}
