import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { createCredential } from '../bench/flow';
import { withCleanups } from '../cleanups';
import type { Stored } from './database';
import type { Harm, Mode, Rig } from './rig';
import { startRig } from './rig';
import { countBy } from './count';
import { watchDeliveries } from './watch';
import type { Watch } from './watch';
import { listenForEvents } from './workflows';

/** What to do. */
export interface KeptOrder {
	mode: Mode;
	/** How many events to send, at least. */
	events: number;
	/** Makes the harms and the pauses between them repeatable. */
	seed: number;
	/** The pauses between two harms, in seconds. */
	pauses: { min: number; max: number };
	/** The pause between two tries of the PBX. By default it tries for twice as long as n8n takes to start. */
	retrySeconds?: number;
}

/** What came of it. */
export interface Kept {
	events: number;
	/** Tries to deliver them. */
	tries: number;
	acknowledged: number;
	/** Events that never got 200, with all their retries. */
	givenUp: number;
	/** Events that got 200 and have no execution, with data or without. */
	lost: number;
	/** Executions, all in error, whose data n8n could not keep: that there was an event is known, and not which. */
	blank: number;
	/** Events with more than one execution: n8n had stored the first, but died before it answered. */
	twice: number;
	/** Executions by how they ended; `crashed` are those that n8n was killed in. */
	executions: Record<string, number>;
	/** How often each harm struck. */
	harms: Record<string, number>;
}

/** Calls at the same time; n8n is busy all the time with these. */
const AT_ONCE = 24;
/** n8n looks for executions of dead workers every 30 s. */
const SETTLE_MS = 45_000;
const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 2,
	talk_seconds: 5,
	speed: 100,
};

/**
 * Sends the events of simulated calls, as fast as n8n takes them, while n8n is harmed at random, and compares what n8n
 * has acknowledged with what it has stored. The PBX retries, as the trigger has asked it to.
 */
export async function runKept(order: KeptOrder): Promise<Kept> {
	const { mode, events, seed, pauses, retrySeconds = 12 } = order;
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox({ settings: { retry_interval_seconds: retrySeconds } });
		later(async () => await sandbox.close());
		const rig = await startRig(mode);
		later(async () => await rig.dispose());
		const watch = watchDeliveries(sandbox);
		later(() => watch.stop());
		const credential = await createCredential(rig.client, sandbox.url);
		const workflowId = await listenForEvents(rig.client, credential, {
			legs: 'everyLeg',
			options: { retries: 4 },
		});
		const killing = new AbortController();
		const harms = strikeOnAndOn(rig.harms, { seed, pauses, signal: killing.signal });
		await placeCalls(sandbox, watch, events);
		killing.abort();
		const struck = await harms;
		const stored = await settled(rig, workflowId);
		return { ...compare(watch, stored), harms: struck };
	});
}

async function placeCalls(sandbox: Sandbox, watch: Watch, events: number): Promise<void> {
	const caller = async () => {
		while (watch.events.size < events) {
			const call = await sandbox.call(CALL);
			await Promise.all(call.deliveries);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, caller));
}

interface Striking {
	seed: number;
	pauses: { min: number; max: number };
	signal: AbortSignal;
}

/** Strikes at random until the signal; gives how often each harm struck. */
async function strikeOnAndOn(
	harms: Harm[],
	{ seed, pauses, signal }: Striking,
): Promise<Record<string, number>> {
	const struck: Record<string, number> = Object.fromEntries(harms.map(({ name }) => [name, 0]));
	const turn = fc.record({ pause: fc.integer(pauses), index: fc.nat(harms.length - 1) });
	for (const { pause, index } of fc.sample(turn, { seed, numRuns: 10_000 })) {
		await sleep(pause * 1000, undefined, { signal }).catch(() => {});
		const harm = harms[index];
		if (signal.aborted || !harm) break;
		await harm.strike();
		struck[harm.name] = (struck[harm.name] ?? 0) + 1;
	}
	return struck;
}

/**
 * Waits until no execution is under way any more, or none goes on, and gives those of the workflow. What a webhook
 * process of queue mode stored and could not queue before it died stays `new`.
 */
async function settled(rig: Rig, workflowId: string): Promise<Stored[]> {
	let busyBefore = Infinity;
	for (;;) {
		const stored = (await rig.stored()).filter((one) => one.workflowId === workflowId);
		const busy = stored.filter(({ status }) => ['new', 'running'].includes(status)).length;
		if (busy === 0 || busy >= busyBefore) return stored;
		busyBefore = busy;
		await sleep(SETTLE_MS);
	}
}

function compare({ events }: Watch, stored: Stored[]): Omit<Kept, 'harms'> {
	const executions = new Map<string, number>();
	let blank = 0;
	for (const { ids } of stored) {
		const known = ids.filter((id) => events.has(id));
		if (known.length === 0) blank++;
		for (const id of known) executions.set(id, (executions.get(id) ?? 0) + 1);
	}
	const all = [...events];
	const acknowledged = all.filter(([, fate]) => fate.acknowledged);
	return {
		events: all.length,
		tries: all.reduce((sum, [, { tries }]) => sum + tries, 0),
		acknowledged: acknowledged.length,
		givenUp: all.length - acknowledged.length,
		lost: Math.max(0, acknowledged.filter(([id]) => !executions.has(id)).length - blank),
		blank,
		twice: [...executions.values()].filter((count) => count > 1).length,
		executions: countBy(stored.map(({ status }) => status)),
	};
}
