import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { createCredential } from '../bench/flow';
import { percentile } from '../bench/measure';
import { withCleanups } from '../cleanups';
import { countBy } from './count';
import { watchHeap } from './memory';
import { startRig } from './rig';
import type { Rig } from './rig';
import { watchDeliveries } from './watch';
import { listenForEvents, pollCalls, routeCalls } from './workflows';

/** What to do. */
export interface SoakOrder {
	minutes: number;
	/** How long the capacity is measured before. */
	capacitySeconds: number;
}

/** What came of it. */
export interface Soaked {
	minutes: number;
	/** Calls a second, with a routing question and three events each, that this n8n takes at most. */
	capacity: number;
	/** Calls a second that were placed. */
	rate: number;
	calls: number;
	/** Of these, `wanted` are of the call's first leg, which the trigger was told to take. */
	events: { sent: number; acknowledged: number; wanted: number; executions: number };
	routing: { asked: number; byWorkflow: number; p50: number; p99: number };
	records: { calls: number; missing: number; twice: number };
	/** All executions by how they ended. */
	executions: Record<string, number>;
	/** Lines of n8n's log with an error or a warning. */
	logged: string[];
	/** How low the heap fell in each tenth of the time, in MiB. */
	memory: number[];
	/** What stays after the workflows are deactivated. */
	left: { webhooks: number; callflowChanged: boolean };
}

const CALL = {
	from: '74951234567',
	to: '74950000200',
	ring_seconds: 2,
	talk_seconds: 10,
	speed: 20,
};
/** Started, answered, ended. */
const EVENTS = 3;
const AT_ONCE = 24;
const WINDOWS = 10;
/** The last poll comes up to a minute after the last call, and has to end. */
const SETTLE_MS = 90_000;

type Callflow = ReturnType<typeof webRouting>;

/** Mixed calls, routing questions and polls for a long time, at half of what n8n can take. */
export async function runSoak({ minutes, capacitySeconds }: SoakOrder): Promise<Soaked> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const rig = await startRig('regular', { env: { N8N_METRICS: 'true' } });
		later(async () => await rig.dispose());
		return await soak({ sandbox, rig, minutes, capacitySeconds });
	});
}

async function soak({
	sandbox,
	rig,
	minutes,
	capacitySeconds,
}: SoakOrder & { sandbox: Sandbox; rig: Rig }): Promise<Soaked> {
	const { client } = rig;
	const credential = await createCredential(client, sandbox.url);
	const before = webRouting(sandbox);
	const routing = await routeCalls(client, credential, before.id);
	const workflows = {
		routing,
		events: await listenForEvents(client, credential, {}),
		records: await pollCalls(client, credential),
	};
	const capacity = await measureCapacity(sandbox, capacitySeconds);
	await sleep(SETTLE_MS);

	const watch = watchDeliveries(sandbox);
	const questions = watchRouting(sandbox);
	const heap = watchHeap(rig.processes[0]?.url ?? '');
	const calls = await placeEvenly(sandbox, capacity / 2, minutes * 60_000);
	const memory = heap(WINDOWS);
	await sleep(SETTLE_MS);
	watch.stop();
	questions.stop();

	const stored = await rig.stored();
	const of = (workflow: string) => stored.filter(({ workflowId }) => workflowId === workflow);
	const idsOf = (workflow: string) => of(workflow).flatMap(({ ids }) => ids);
	const told = countBy(idsOf(workflows.records));
	const known = new Set(idsOf(workflows.events));
	const fates = [...watch.events.values()];
	for (const id of Object.values(workflows)) await client.deactivate(id);
	return {
		minutes,
		capacity,
		rate: Math.round((calls.length / minutes / 60) * 100) / 100,
		calls: calls.length,
		events: {
			sent: fates.length,
			acknowledged: fates.filter(({ acknowledged }) => acknowledged).length,
			wanted: calls.length * EVENTS,
			executions: [...watch.events.keys()].filter((id) => known.has(id)).length,
		},
		routing: questions.figures(),
		records: {
			calls: calls.filter((id) => told[id]).length,
			missing: calls.filter((id) => !told[id]).length,
			twice: calls.filter((id) => (told[id] ?? 0) > 1).length,
		},
		executions: countBy(stored.map(({ status }) => status)),
		logged: await complaintsOf(rig),
		memory,
		left: leftAt(sandbox, before),
	};
}

/** Calls a second with as many at once as keep n8n busy. */
async function measureCapacity(sandbox: Sandbox, seconds: number): Promise<number> {
	const deadline = Date.now() + seconds * 1000;
	let calls = 0;
	const caller = async () => {
		while (Date.now() < deadline) {
			await deliver(sandbox);
			calls++;
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, caller));
	return Math.round((calls / seconds) * 100) / 100;
}

/** Places calls in even steps, whatever becomes of the earlier ones; gives the ids in their records. */
async function placeEvenly(sandbox: Sandbox, rate: number, ms: number): Promise<string[]> {
	const began = Date.now();
	const calls: Array<Promise<string>> = [];
	while (Date.now() - began < ms) {
		calls.push(deliver(sandbox));
		await sleep(Math.max(0, began + (calls.length * 1000) / rate - Date.now()));
	}
	return await Promise.all(calls);
}

async function deliver(sandbox: Sandbox): Promise<string> {
	const call = await sandbox.call(CALL);
	await Promise.all(call.deliveries);
	return call.first.callId.slice(0, 32);
}

/** Notes who answered the sandbox's questions, and how quickly. */
function watchRouting({ pbx }: Sandbox) {
	const times: number[] = [];
	let byWorkflow = 0;
	const stop = pbx.bus.listen((type, data) => {
		if (type !== 'routing') return;
		const { ms, operations } = data as { ms: number; operations: Array<{ type: string }> };
		times.push(ms);
		if (operations[0]?.type === 'extension') byWorkflow++;
	});
	return {
		stop,
		figures: () => ({
			asked: times.length,
			byWorkflow,
			p50: percentile(times, 0.5),
			p99: percentile(times, 0.99),
		}),
	};
}

function webRouting({ pbx }: Sandbox) {
	const all = [...pbx.accounts.values()].flatMap(({ callflows }) => callflows.all());
	const found = all.find(({ name }) => name === 'Web routing');
	if (!found) throw new Error('The sandbox has no callflow "Web routing"');
	return structuredClone(found);
}

function leftAt(sandbox: Sandbox, before: Callflow): Soaked['left'] {
	const accounts = [...sandbox.pbx.accounts.values()];
	return {
		webhooks: accounts.flatMap(({ webhooks }) => webhooks.all()).length,
		callflowChanged: !isDeepStrictEqual(webRouting(sandbox), before),
	};
}

async function complaintsOf({ processes }: Rig): Promise<string[]> {
	const logs = await Promise.all(processes.map(async ({ log }) => await readFile(log, 'utf8')));
	const lines = logs.join('\n').split('\n');
	return lines.filter((line) => /\b(error|warn)\b/i.test(line)).slice(0, 20);
}
