import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { withCleanups } from '../cleanups';
import { fitNodes } from '../demo/examples';
import { ROOT } from '../n8n';
import type { WorkflowFile } from '../n8n';
import { createCredential } from '../bench/flow';
import { countBy } from './count';
import type { Stored } from './database';
import { whileHarmed } from './harms';
import type { Striking } from './harms';
import { settled } from './kept';
import { startRig } from './rig';
import type { Mode, Rig } from './rig';
import { watchDeliveries, watchNotes } from './watch';
import type { Watch } from './watch';

/** What to do. */
export interface CallsOrder extends Striking {
	mode: Mode;
	/** How many events the PBX is to have for the trigger, at least. */
	events: number;
}

/** What came of it. */
export interface KeptCalls {
	calls: number;
	/** Ends of the calls' legs, which are what the webhook is for. */
	events: number;
	/** Events that got 200. */
	acknowledged: number;
	/** Events that the PBX did not send, since the webhook was switched off. */
	notSent: number;
	/** Events that were sent once and got no 200, by the reason. */
	failed: Record<string, number>;
	/** Calls with an execution of the event trigger. */
	toldByEvent: number;
	/** Calls with an execution of the Call Record Trigger alone. */
	toldByRecordAlone: number;
	/** Calls without any execution. */
	lost: number;
	/** Calls that one and the same trigger has told twice. */
	toldTwice: { byEvent: number; byRecord: number };
	/** Calls whose executions all ended before their note was written, and that **Retry** of one of them has brought. */
	retried: number;
	/** Calls without a note in the end. */
	withoutNote: number;
	/** Calls with two notes. */
	doubled: number;
	/** Executions by how they ended, before any retry. */
	executions: Record<string, number>;
	/** How often each harm struck. */
	harms: Record<string, number>;
}

interface PlacedCall {
	id: string;
	legs: number;
}

const EXAMPLE = 'every-call-once.json';
const AT_ONCE = 24;
/** Calls of two seconds, so that they do not come faster while n8n is down and takes nothing. */
const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 2,
	talk_seconds: 8,
	speed: 5,
};
/** n8n polls every minute; a call that no poll has brought in three is not going to come. */
const QUIET_MS = 200_000;
const LOOK_MS = 2000;

/**
 * Simulates calls on a PBX as live services are, which sends an event once and switches a webhook off after six failures,
 * while n8n is harmed at random. The workflow is the example that has both triggers; in the end each call must have a note.
 */
export async function runKeptCalls(order: CallsOrder): Promise<KeptCalls> {
	const { mode, events } = order;
	return await withCleanups(async (later) => {
		const settings = { profile: 'field', legs: 'both', log_size: events * 2 } as const;
		const sandbox = await startSandbox({ settings });
		later(async () => await sandbox.close());
		const rig = await startRig(mode);
		later(async () => await rig.dispose());
		const watch = watchDeliveries(sandbox);
		later(() => watch.stop());
		const notes = watchNotes(sandbox);
		later(() => notes.stop());
		const workflowId = await activateExample(rig, sandbox);
		const { result: calls, struck } = await whileHarmed(
			rig.harms,
			order,
			async (isTooEarly) => await placeCalls(sandbox, events, isTooEarly),
		);

		const isMissing = ({ id }: PlacedCall) => !notes.calls.has(id);
		await untilQuiet(() => calls.filter(isMissing).length);
		const stored = await settled(rig, workflowId);
		const interrupted = calls.filter(isMissing);
		await retry(rig, stored, interrupted);
		await untilQuiet(() => interrupted.filter(isMissing).length);
		const withoutNote = calls.filter(isMissing).length;
		return {
			...compare(calls, watch, stored),
			retried: interrupted.length - withoutNote,
			withoutNote,
			doubled: calls.filter(({ id }) => (notes.calls.get(id)?.size ?? 0) > 1).length,
			harms: struck,
		};
	});
}

async function activateExample({ client }: Rig, sandbox: Sandbox): Promise<string> {
	const credential = await createCredential(client, sandbox.url);
	const text = await readFile(path.join(ROOT, 'examples', EXAMPLE), 'utf8');
	const example = JSON.parse(text) as WorkflowFile;
	const nodes = fitNodes(example.nodes, [credential], sandbox.url);
	const { id } = await client.createWorkflow({ ...example, nodes });
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
			const { first, legs, deliveries } = await sandbox.call(CALL);
			await Promise.all(deliveries);
			made += legs.length;
			calls.push({ id: first.callId.slice(0, 32), legs: legs.length });
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, caller));
	return calls;
}

/** Waits until nothing is missing, or for long no less. */
async function untilQuiet(missing: () => number): Promise<void> {
	let before = Infinity;
	let since = Date.now();
	for (let now = missing(); now > 0 && Date.now() - since < QUIET_MS; now = missing()) {
		if (now < before) since = Date.now();
		before = now;
		await sleep(LOOK_MS);
	}
}

/** Does what a user does with executions that n8n lists as crashed or failed: presses **Retry**. */
async function retry({ client }: Rig, stored: Stored[], calls: PlacedCall[]): Promise<void> {
	const wanted = new Set(calls.map(({ id }) => id));
	for (const { id, ids, status } of stored) {
		if (status === 'success' || !ids.some((one) => wanted.has(one))) continue;
		await client.rest.request('POST', `executions/${id}/retry`, { loadWorkflow: true });
	}
}

function compare(
	calls: PlacedCall[],
	{ events: sent }: Watch,
	stored: Stored[],
): Omit<KeptCalls, 'retried' | 'withoutNote' | 'doubled' | 'harms'> {
	const told = (mode: string) =>
		countBy(stored.filter((one) => one.mode === mode).flatMap(({ ids }) => ids));
	const [byEvent, byRecord] = [told('webhook'), told('trigger')];
	const fates = [...sent.values()];
	const events = calls.reduce((sum, { legs }) => sum + legs, 0);
	const failures = fates.flatMap(({ acknowledged, failure = '' }) =>
		acknowledged ? [] : [failure],
	);
	const count = (is: (id: string) => boolean) => calls.filter(({ id }) => is(id)).length;
	return {
		calls: calls.length,
		events,
		acknowledged: fates.length - failures.length,
		notSent: events - fates.length,
		failed: countBy(failures),
		toldByEvent: count((id) => id in byEvent),
		toldByRecordAlone: count((id) => !(id in byEvent) && id in byRecord),
		lost: count((id) => !(id in byEvent) && !(id in byRecord)),
		toldTwice: {
			byEvent: count((id) => (byEvent[id] ?? 0) > 1),
			byRecord: count((id) => (byRecord[id] ?? 0) > 1),
		},
		executions: countBy(stored.map(({ status }) => status)),
	};
}
