import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { createCredential } from '../bench/load';
import { readExample } from '../demo/examples';
import type { Rig, Stored } from './rig';

/** PBX profiles (docs/sandbox.md): one that retries failed deliveries, one that doesn't, and stock Kazoo. */
export const PROFILES = ['contract', 'field', 'kazoo'] as const;

interface KeptOrder {
	profile: (typeof PROFILES)[number];
	/** The minimum number of events that the PBX sends to the trigger. */
	events: number;
	/** Pauses between two faults, in seconds. */
	pauses: { min: number; max: number };
	/** The number of faults before the run can end. By default, as many as happen during the calls. */
	minFaults?: number;
}

interface PlacedCall {
	/** The sandbox's own ID, which deliveries contain. */
	id: string;
	/** The ID that executions and notes contain. */
	key: string;
	legs: number;
}

const EXAMPLE = 'every-call-once.json';
/** The pause between the PBX's retries is as long as n8n's first start took, but at least this. */
const MIN_RETRY_SECONDS = 12;
const PARALLEL_CALLS = 24;
/** Calls last two seconds of real time, so they don't finish faster while n8n is down. */
const CALL = {
	...{ from: '12125550123', to: '12125550100', ring_seconds: 2, talk_seconds: 8, speed: 5 },
};
/** n8n polls every minute. A call that three polls haven't returned is lost. */
const QUIET_MS = 200_000;
const LOOK_MS = 2000;
/** How often to look for open executions: n8n looks for those of dead workers every 30 s. */
const SETTLE_MS = 45_000;
/** n8n's body of the 200 response to every path until its migrations are done. */
const STARTING = 'n8n is starting up';

/**
 * Places calls while random faults hit n8n. The workflow is the example with both triggers. At the end, each call must
 * have exactly one note, if necessary after **Retry** of an execution that was cut off. Returns numbers of calls.
 */
export async function runKept(rig: Rig, { profile, events, pauses, minFaults }: KeptOrder) {
	const retry_interval_seconds = Math.max(MIN_RETRY_SECONDS, rig.startSeconds);
	const sandbox = await startSandbox({
		settings: { profile, legs: 'both', local_addresses: 'accept', retry_interval_seconds },
	});
	try {
		const accepted = watchAccepted(sandbox);
		const notes = watchNotes(sandbox);
		const credential = await createCredential(rig.client, sandbox.url);
		const example = await readExample(EXAMPLE, [credential], sandbox.url);
		const { id: workflowId } = await rig.client.createWorkflow(example);
		await rig.client.activate(workflowId);
		const over = new AbortController();
		let faults = 0;
		const injectFaults = async () => {
			const turn = fc.tuple(fc.integer(pauses), fc.constantFrom(...rig.faults));
			for (const [pause, inject] of fc.sample(turn, { seed: 1, numRuns: minFaults ?? 10_000 })) {
				await sleep(pause * 1000, undefined, { signal: over.signal }).catch(() => {});
				if (over.signal.aborted) break;
				await inject();
				faults++;
			}
		};
		const placing = placeCalls(sandbox, (made) => made < events || faults < (minFaults ?? 0));
		const [calls] = await Promise.all([placing.finally(() => over.abort()), injectFaults()]);
		const isMissing = ({ key }: PlacedCall) => !notes.has(key);
		await untilQuiet(() => calls.filter(isMissing).length);
		// One that a webhook process stored but couldn't queue before it died stays `new`.
		const countOpen = async () => (await rig.stored(workflowId)).filter(isOpen).length;
		await untilQuiet(countOpen, SETTLE_MS);
		const stored = await rig.stored(workflowId);
		const interrupted = calls.filter(isMissing);
		const wanted = new Set(interrupted.map(({ key }) => key));
		// Retries executions that n8n lists as crashed or failed, as a user would.
		for (const { id, ids, status } of stored)
			if (status !== 'success' && ids.some((one) => wanted.has(one)))
				await rig.client.rest.request('POST', `executions/${id}/retry`, { loadWorkflow: true });
		await untilQuiet(() => interrupted.filter(isMissing).length);
		return {
			...compare(calls, [...accepted.values()], stored),
			withoutNote: calls.filter(isMissing).length,
			withTwoNotes: calls.filter(({ key }) => (notes.get(key)?.size ?? 0) > 1).length,
			faults,
		};
	} finally {
		await sandbox.close();
	}
}

/** Places several calls at a time, as long as `isOn` wants more. It gets the number of legs so far. */
async function placeCalls(
	sandbox: Sandbox,
	isOn: (made: number) => boolean,
): Promise<PlacedCall[]> {
	const calls: PlacedCall[] = [];
	let made = 0;
	const caller = async () => {
		while (isOn(made)) {
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
export async function untilQuiet(
	missing: () => number | Promise<number>,
	everyMs = LOOK_MS,
): Promise<void> {
	let before = Infinity;
	for (let since = Date.now(); Date.now() - since < QUIET_MS; await sleep(everyMs)) {
		const now = await missing();
		if (now === 0) return;
		if (now < before) since = Date.now();
		before = now;
	}
}

/** Whether an execution hasn't ended. */
export const isOpen = ({ status }: Stored): boolean => ['new', 'running'].includes(status);

/** Compares the calls with the stored executions. `taken` are the calls of the events that n8n accepted. */
function compare(calls: PlacedCall[], taken: string[], stored: Stored[]) {
	const reported = (mode: string) =>
		new Set(stored.filter((one) => one.mode === mode).flatMap(({ ids }) => ids));
	const [byEvent, byRecord] = [reported('webhook'), reported('trigger')];
	const accepted = new Map<string, number>();
	for (const id of taken) accepted.set(id, (accepted.get(id) ?? 0) + 1);
	// Executions whose data n8n lost: there was an event, but it is unknown which.
	const blank = stored.filter(({ ids }) => ids.length === 0).length;
	const count = (is: (call: PlacedCall) => boolean) => calls.filter(is).length;
	const forgotten = count(({ id, key, legs }) => accepted.get(id) === legs && !byEvent.has(key));
	return {
		calls: calls.length,
		fromEventTrigger: count(({ key }) => byEvent.has(key)),
		onlyFromRecordTrigger: count(({ key }) => !byEvent.has(key) && byRecord.has(key)),
		/** Calls whose events were all accepted but that have no execution. */
		forgotten: Math.max(0, forgotten - blank),
		lost: count(({ key }) => !byEvent.has(key) && !byRecord.has(key)),
	};
}

/** Records each event that an n8n process accepts from now on: its `Msg-ID`, and the sandbox's ID of the call. */
export function watchAccepted({ pbx }: Sandbox): Map<string, string> {
	const events = new Map<string, string>();
	pbx.bus.listen((type, data) => {
		const { call_id: call, msg_id: id, result, response } = data as Record<string, string>;
		const isAccepted = result === 'accepted' && !response?.includes(STARTING);
		if (type === 'delivery' && isAccepted) events.set(String(id), String(call));
	});
	return events;
}

/** Records the IDs of the notes in the sandbox's CRM from now on, by call. */
function watchNotes({ pbx }: Sandbox): Map<string, Set<string>> {
	const calls = new Map<string, Set<string>>();
	pbx.bus.listen((type, data) => {
		if (type !== 'note') return;
		const { id, body } = data as { id: string; body: { callId?: string } };
		const call = body.callId?.slice(0, 32) ?? '';
		calls.set(call, (calls.get(call) ?? new Set()).add(id));
	});
	return calls;
}
