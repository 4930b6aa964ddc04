import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { createCredential } from '../bench/load';
import { readExample } from '../demo/examples';
import type { N8nClient } from '../n8n';
import { withFaults } from './rig';
import type { Rig, Stored, FaultPlan } from './rig';
import { countBy, watchDeliveries, watchNotes } from './watch';
import type { Outcome } from './watch';

/**
 * PBX profiles (docs/sandbox.md): one that retries failed deliveries, one that doesn't, and stock
 * Kazoo.
 */
export const PROFILES = ['contract', 'field', 'kazoo'] as const;

/** Settings of a run. */
export interface KeptOrder extends FaultPlan {
	profile: (typeof PROFILES)[number];
	/** The minimum number of events that the PBX sends to the trigger. */
	events: number;
}

interface PlacedCall {
	/** The sandbox's own ID, which deliveries contain. */
	id: string;
	/** The ID that executions and notes contain. */
	key: string;
	legs: number;
}

const EXAMPLE = 'every-call-once.json';
/**
 * Pause between the PBX's retries: as long as n8n's first start took on this machine, but at least
 * this.
 */
const MIN_RETRY_SECONDS = 12;
const PARALLEL_CALLS = 24;
/** Calls last two seconds of real time, so they don't finish faster while n8n is down. */
const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 2,
	talk_seconds: 8,
	speed: 5,
};
/** n8n polls every minute. A call that three polls haven't returned is lost. */
const QUIET_MS = 200_000;
const LOOK_MS = 2000;
/** n8n looks for executions of dead workers every 30 s. */
const SETTLE_MS = 45_000;

/** The results: numbers of calls, except the events and the counts by name. */
export type Kept = Awaited<ReturnType<typeof runKept>>;

/**
 * Places calls while random faults hit n8n. The workflow is the example with both triggers.
 * At the end, each call must have exactly one note, if necessary after **Retry** of an execution
 * that was cut off.
 */
export async function runKept(rig: Rig, order: KeptOrder) {
	const { profile, events } = order;
	const sandbox = await startSandbox({
		settings: {
			profile,
			legs: 'both',
			local_addresses: 'accept',
			retry_interval_seconds: Math.max(MIN_RETRY_SECONDS, rig.startSeconds),
			log_size: events * 2,
		},
	});
	try {
		const outcomes = watchDeliveries(sandbox);
		const notes = watchNotes(sandbox);
		const workflowId = await activateExample(rig.client, sandbox);
		const { result: calls, counts } = await withFaults(
			rig.faults,
			order,
			async (isTooEarly) => await placeCalls(sandbox, events, isTooEarly),
		);

		const isMissing = ({ key }: PlacedCall) => !notes.has(key);
		await untilQuiet(() => calls.filter(isMissing).length);
		const stored = await settled(rig, workflowId);
		const interrupted = calls.filter(isMissing);
		await retry(rig.client, stored, interrupted);
		await untilQuiet(() => interrupted.filter(isMissing).length);
		const withoutNote = calls.filter(isMissing).length;
		return {
			...compare(calls, [...outcomes.values()], stored),
			retried: interrupted.length - withoutNote,
			withoutNote,
			withTwoNotes: calls.filter(({ key }) => (notes.get(key)?.size ?? 0) > 1).length,
			executions: countBy(stored.map(({ status }) => status)),
			faults: counts,
		};
	} finally {
		await sandbox.close();
	}
}

async function activateExample(client: N8nClient, { url }: Sandbox): Promise<string> {
	const credential = await createCredential(client, url);
	const { id } = await client.createWorkflow(await readExample(EXAMPLE, [credential], url));
	await client.activate(id);
	return id;
}

async function placeCalls(
	sandbox: Sandbox,
	events: number,
	isTooEarly: () => boolean,
): Promise<PlacedCall[]> {
	const calls: PlacedCall[] = [];
	let made = 0;
	const caller = async () => {
		while (made < events || isTooEarly()) {
			const { id, first, legs, deliveries } = await sandbox.call(CALL);
			await Promise.all(deliveries);
			made += legs.length;
			calls.push({ id, key: first.callId.slice(0, 32), legs: legs.length });
		}
	};
	await Promise.all(Array.from({ length: PARALLEL_CALLS }, caller));
	return calls;
}

/** Waits until nothing is missing, or until the number hasn't dropped for a long time. */
async function untilQuiet(missing: () => number): Promise<void> {
	let before = Infinity;
	let since = Date.now();
	for (let now = missing(); now > 0 && Date.now() - since < QUIET_MS; now = missing()) {
		if (now < before) since = Date.now();
		before = now;
		await sleep(LOOK_MS);
	}
}

/**
 * Waits until no execution is running, or none makes progress, and returns the workflow's
 * executions. One that a webhook process stored but couldn't queue before it died stays `new`.
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

/** Retries executions that n8n lists as crashed or failed, as a user would. */
async function retry(client: N8nClient, stored: Stored[], calls: PlacedCall[]): Promise<void> {
	const wanted = new Set(calls.map(({ key }) => key));
	for (const { id, ids, status } of stored) {
		if (status === 'success' || !ids.some((one) => wanted.has(one))) continue;
		await client.rest.request('POST', `executions/${id}/retry`, { loadWorkflow: true });
	}
}

function compare(calls: PlacedCall[], outcomes: Outcome[], stored: Stored[]) {
	const reported = (mode: string) =>
		countBy(stored.filter((one) => one.mode === mode).flatMap(({ ids }) => ids));
	const [byEvent, byRecord] = [reported('webhook'), reported('trigger')];
	const taken = countBy(outcomes.filter(({ isAccepted }) => isAccepted).map(({ call }) => call));
	const events = calls.reduce((sum, { legs }) => sum + legs, 0);
	const failures = outcomes.filter(({ acknowledged }) => !acknowledged);
	// Executions whose data n8n lost: there was an event, but it is unknown which.
	const blank = stored.filter(({ ids }) => ids.length === 0).length;
	const count = (is: (call: PlacedCall) => boolean) => calls.filter(is).length;
	const forgotten = count(({ id, key, legs }) => taken[id] === legs && !(key in byEvent));
	return {
		calls: calls.length,
		events,
		acknowledged: outcomes.length - failures.length,
		whileStarting: outcomes.filter((one) => one.acknowledged && !one.isAccepted).length,
		notSent: events - outcomes.length,
		failed: countBy(failures.map(({ failure = '' }) => failure)),
		fromEventTrigger: count(({ key }) => key in byEvent),
		onlyFromRecordTrigger: count(({ key }) => !(key in byEvent) && key in byRecord),
		forgotten: Math.max(0, forgotten - blank),
		lost: count(({ key }) => !(key in byEvent) && !(key in byRecord)),
		twiceByEvent: count(({ key }) => (byEvent[key] ?? 0) > 1),
		twiceByRecord: count(({ key }) => (byRecord[key] ?? 0) > 1),
	};
}
