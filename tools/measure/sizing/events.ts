import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../sandbox';
import { makeEventFlow } from '../bench/events';
import { activate, countNode, noOperation } from '../bench/flow';
import { sendLoad } from '../bench/load';
import { ENGINES } from '../bench/measure';
import type { Engine } from '../bench/measure';
import { resetPeak, residentMb } from '../bench/memory';
import { ask, ourFlow } from '../bench/slices/routing';
import { withCleanups } from '../../cleanups';
import { figure } from '../publish';
import { MODES, startInMode } from '../../n8n';
import type { Mode, N8nClient, N8nProcess } from '../../n8n';

const PLACES: Record<Mode, string> = {
	regular: 'one n8n process, SQLite',
	queue: 'queue mode, 1 webhook process and 1 worker',
};
const SECOND_NODES = { none: noOperation, one: countNode('={{ $json.talkSeconds }}') };
const SAVED = { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' };
const LOAD = { callers: 10, seconds: 12 };
const BURST = { callers: 300, amount: 300, patience: 10 };
const REQUESTS = 100;
const LOOK_MS = 250;
const HEAD = [
	'How n8n runs',
	'Expression engine',
	'Expressions in the workflow',
	'Events a second',
	'Memory, at rest / under events (MiB)',
	`${BURST.amount} events at once: accepted within ${BURST.patience} s`,
	`${BURST.amount} events at once: memory above rest (MiB)`,
	'Routing answer, p50 / p99 (ms)',
];

type Expressions = keyof typeof SECOND_NODES;

/** Waits until n8n has no running execution. */
async function untilDone(client: N8nClient): Promise<void> {
	for (;;) {
		const lists = (['new', 'running'] as const).map(
			async (status) => await client.listExecutions({ status }, 1),
		);
		if ((await Promise.all(lists)).flat().length === 0) return;
		await sleep(LOOK_MS);
	}
}

const memoryOf = (processes: N8nProcess[], field: 'VmRSS' | 'VmHWM'): number =>
	processes.reduce((sum, { pid }) => sum + residentMb(pid, field), 0);

/**
 * Runs work that ends by itself. Returns its result with the memory before and at the peak, in MiB.
 */
async function watched<T>(processes: N8nProcess[], work: () => Promise<T>) {
	const rest = memoryOf(processes, 'VmRSS');
	for (const { pid } of processes) resetPeak(pid);
	const result = await work();
	return { result, rest, peak: memoryOf(processes, 'VmHWM') };
}

/** Measures one configuration on its own n8n instance. Returns a row of the table. */
async function measure(mode: Mode, engine: Engine, expressions: Expressions): Promise<string[]> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const env = { ...ENGINES[engine], N8N_LOG_LEVEL: 'error', EXECUTIONS_DATA_PRUNE: 'false' };
		const { main, webhooks, workers, url, dispose } = await startInMode(mode, { env });
		later(dispose);
		const client = await main.signIn();
		const processes = [main, ...webhooks, ...workers];
		const next = SECOND_NODES[expressions];
		const event = await makeEventFlow(client, sandbox, { next, settings: SAVED });
		const routing = await activate(client, ourFlow(), SAVED);
		const routingUrl = `${url}${new URL(routing).pathname}`;
		const send = async () => {
			const began = performance.now();
			const { accepted } = await sendLoad(() => event(), LOAD);
			await untilDone(client);
			return (accepted * 1000) / (performance.now() - began);
		};
		await send();
		await ask(routingUrl, 1, REQUESTS / 5);
		const steady = await watched(processes, send);
		const response = await ask(routingUrl, 1, REQUESTS);
		await untilDone(client);
		const burst = await watched(processes, async () => await sendLoad(() => event(), BURST));
		return [
			PLACES[mode],
			engine,
			expressions,
			figure(steady.result),
			`${figure(steady.rest)} / ${figure(steady.peak)}`,
			String(burst.result.accepted),
			figure(burst.peak - burst.rest),
			`${figure(response.p50)} / ${figure(response.p99)}`,
		];
	});
}

/** Measures how many events and routed calls a single n8n instance handles. Linux only. Returns a table. */
export async function measureEvents(): Promise<string[][]> {
	const rows = [HEAD];
	for (const mode of MODES)
		for (const engine of ['default', 'lazy'] as const)
			for (const expressions of ['none', 'one'] as const) {
				rows.push(await measure(mode, engine, expressions));
				console.log(rows.at(-1)?.join(' | '));
			}
	return rows;
}
