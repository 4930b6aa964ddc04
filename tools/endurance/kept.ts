import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { createCredential } from '../bench/flow';
import { withCleanups } from '../cleanups';
import type { Stored } from './database';
import { whileHarmed } from './harms';
import type { Striking } from './harms';
import type { Mode, Rig } from './rig';
import { startRig } from './rig';
import { countBy } from './count';
import { watchDeliveries } from './watch';
import type { Watch } from './watch';
import { listenForEvents } from './workflows';

/** What to do. */
export interface KeptOrder extends Striking {
	mode: Mode;
	/** How many events to send, at least. */
	events: number;
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

/** The PBX tries five times, and waits as long between two tries as n8n took for its first start on this machine. */
const LEAST_RETRY_SECONDS = 12;
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
	const { mode, events } = order;
	return await withCleanups(async (later) => {
		const began = Date.now();
		const rig = await startRig(mode);
		later(async () => await rig.dispose());
		const startSeconds = (Date.now() - began) / 1000;
		const settings = { retry_interval_seconds: Math.max(LEAST_RETRY_SECONDS, startSeconds) };
		const sandbox = await startSandbox({ settings });
		later(async () => await sandbox.close());
		const watch = watchDeliveries(sandbox);
		later(() => watch.stop());
		const credential = await createCredential(rig.client, sandbox.url);
		const workflowId = await listenForEvents(rig.client, credential, {
			legs: 'everyLeg',
			options: { retries: 4 },
		});
		const { struck } = await whileHarmed(
			rig.harms,
			order,
			async (isTooEarly) =>
				await placeCalls(sandbox, () => watch.events.size < events || isTooEarly()),
		);
		const stored = await settled(rig, workflowId);
		return { ...compare(watch, stored), harms: struck };
	});
}

async function placeCalls(sandbox: Sandbox, goesOn: () => boolean): Promise<void> {
	const caller = async () => {
		while (goesOn()) {
			const call = await sandbox.call(CALL);
			await Promise.all(call.deliveries);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, caller));
}

/**
 * Waits until no execution is under way any more, or none goes on, and gives those of the workflow. What a webhook
 * process of queue mode stored and could not queue before it died stays `new`.
 */
export async function settled(rig: Rig, workflowId: string): Promise<Stored[]> {
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
