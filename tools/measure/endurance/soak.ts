import { setTimeout as sleep } from 'node:timers/promises';
import type { INode } from 'n8n-workflow';
import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox';
import { createCredential, noOperation } from '../bench/flow';
import { percentile } from '../bench/measure';
import { withCleanups } from '../../cleanups';
import { credentialOf, makeNode, rowOf } from '../../n8n';
import type { N8nClient } from '../../n8n';
import { startRig } from './rig';
import { countBy, watchDeliveries } from './watch';

const CALL = {
	from: '74951234567',
	to: '74950000200',
	ring_seconds: 2,
	talk_seconds: 10,
	speed: 20,
};
export const CALLS_A_SECOND = 2;
/** The events of a call's first leg that the trigger handles. */
const EVENTS = ['started', 'answered', 'ended'];
/** The last poll starts up to a minute after the last call, and must finish. */
const SETTLE_MS = 90_000;
const HEAP = /^n8n_nodejs_heap_size_used_bytes (\d+)/m;
const HEAP_EVERY_MS = 2000;
const HEAP_PARTS = 10;

/** The results: numbers of events, requests, calls, and executions; milliseconds; and MiB. */
export type Soaked = Awaited<ReturnType<typeof runSoak>>;

/** Runs a mix of calls, routing requests, and polls for some minutes. */
export async function runSoak(minutes: number) {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const rig = await startRig('regular', { N8N_METRICS: 'true' });
		later(rig.dispose);
		const workflows = await activateAll(rig.client, sandbox);
		const outcomes = watchDeliveries(sandbox);
		const routing = watchRouting(sandbox);
		const heap = watchHeap(rig.main.url);
		const calls = await placeEvenly(sandbox, minutes * 60_000);
		const lowestHeap = heap();
		await sleep(SETTLE_MS);

		const stored = await rig.stored();
		const idsOf = (workflow: string) =>
			stored.flatMap(({ workflowId, ids }) => (workflowId === workflow ? ids : []));
		const recorded = countBy(idsOf(workflows.records));
		const known = new Set(idsOf(workflows.events));
		return {
			minutes,
			calls: calls.length,
			events: {
				sent: outcomes.size,
				acknowledged: [...outcomes.values()].filter(({ acknowledged }) => acknowledged).length,
				wanted: calls.length * EVENTS.length,
				executions: [...outcomes.keys()].filter((id) => known.has(id)).length,
			},
			routing: routing(),
			records: {
				calls: calls.filter((id) => recorded[id]).length,
				missing: calls.filter((id) => !recorded[id]).length,
				twice: calls.filter((id) => (recorded[id] ?? 0) > 1).length,
			},
			executions: countBy(stored.map(({ status }) => status)),
			lowestHeap,
		};
	});
}

/** Activates one workflow per trigger. Returns their IDs. */
async function activateAll(client: N8nClient, { url, pbx }: Sandbox) {
	const credential = credentialOf(await createCredential(client, url));
	const callflows = [...pbx.accounts.values()].flatMap((account) => account.callflows.all());
	const callflow = callflows.find(({ name }) => name === 'Web routing');
	if (!callflow) throw new Error('The sandbox has no callflow "Web routing"');
	const connection = {
		connect: 'callflow',
		callflowId: { __rl: true, mode: 'id', value: callflow.id },
		fallback: { step: [{ type: 'voicemail', extension: '101' }] },
	};
	const steps = { step: [{ type: 'extension', extension: '100' }] };
	const more = { typeVersion: 1.1, ...credential };
	const polls = { pollTimes: { item: [{ mode: 'everyMinute' }] }, event: 'newCall' };
	const activate = async (...nodes: INode[]) => {
		const workflow = await client.createWorkflow(rowOf(`Soak: ${nodes[0]?.name}`, nodes));
		await client.activate(workflow.id);
		return workflow.id;
	};
	return {
		events: await activate(
			makeNode('Events', 'virtualPbxTrigger', { events: EVENTS, simplify: false }, more),
			noOperation,
		),
		routing: await activate(
			makeNode('Call', 'virtualPbxRoutingTrigger', connection, { typeVersion: 2, ...credential }),
			makeNode('Answer', 'virtualPbx', { resource: 'routing', operation: 'respond', steps }),
		),
		records: await activate(
			makeNode('Calls', 'virtualPbxRecordTrigger', polls, credential),
			noOperation,
		),
	};
}

/**
 * Places calls at a steady rate, regardless of how earlier ones go. Returns the IDs in their
 * records.
 */
async function placeEvenly(sandbox: Sandbox, ms: number): Promise<string[]> {
	const began = Date.now();
	const calls: Array<Promise<string>> = [];
	while (Date.now() - began < ms) {
		calls.push(sandbox.call(CALL).then(({ first }) => first.callId.slice(0, 32)));
		await sleep(Math.max(0, began + (calls.length * 1000) / CALLS_A_SECOND - Date.now()));
	}
	return await Promise.all(calls);
}

/** Records whether the workflow or the fallback responds to routing requests, and how fast. Returns a function that stops. */
function watchRouting({ pbx }: Sandbox) {
	const times: number[] = [];
	let byWorkflow = 0;
	const stop = pbx.bus.listen((type, data) => {
		if (type !== 'routing') return;
		const { ms, operations } = data as { ms: number; operations: Array<{ type: string }> };
		times.push(ms);
		if (operations[0]?.type === 'extension') byWorkflow++;
	});
	return () => {
		stop();
		const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
		return { asked: times.length, byWorkflow, p50, p99 };
	};
}

/**
 * Samples n8n's heap. The returned function yields the minimum of each tenth of the time in MiB:
 * what remains isn't garbage.
 */
function watchHeap(url: string): () => number[] {
	const samples: number[] = [];
	const sample = async () => {
		const response = await fetch(`${url}/metrics`).catch(() => undefined);
		const heap = HEAP.exec((await response?.text()) ?? '')?.[1];
		if (heap !== undefined) samples.push(Math.round(Number(heap) / 2 ** 20));
	};
	const timer = setInterval(() => void sample(), HEAP_EVERY_MS);
	return () => {
		clearInterval(timer);
		const startOf = (part: number) => Math.floor((part * samples.length) / HEAP_PARTS);
		return Array.from({ length: HEAP_PARTS }, (_, part) =>
			Math.min(...samples.slice(startOf(part), startOf(part + 1))),
		);
	};
}
