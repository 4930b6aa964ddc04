import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox';
import { makeEventFlow } from '../bench/events';
import { activate, answerFlows } from '../bench/flow';
import { median, rounded } from '../bench/measure';
import { forgetPeak, residentMb } from '../bench/memory';
import { processorMs, programMs } from '../bench/processor';
import { withCleanups } from '../cleanups';
import { Arrivals, arrivedOf } from '../endurance/arrivals';
import { rowsWritten } from '../endurance/database';
import { startRig } from '../endurance/rig';
import type { Rig } from '../endurance/rig';
import { PARTS } from './measured';
import type { Cost, Measured, Settings } from './measured';
import { environmentOf, workflowSettingsOf } from './settings';

const CALLERS = 10;
const WARM_UP_SECONDS = 10;
const LOOK_MS = 250;
const MOST_WORK_MS = 180_000;
/** The share of a core that n8n takes with nothing to do, at most. */
const IDLE = 0.1;
const QUESTION = JSON.stringify({ 'Call-ID': '$id', From: '100', To: '200' });

/**
 * Measures one way to run n8n, in an n8n of its own; in queue mode with one webhook process and one worker.
 *
 * @param seconds of each load
 * @throws when a request is refused
 */
export async function measure(settings: Settings, seconds: number): Promise<Measured> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const rig = await startRig(settings.mode, {
			env: environmentOf(settings),
			webhooks: 1,
			workers: 1,
			concurrency: settings.limit,
		});
		later(async () => await rig.dispose());
		const stored = workflowSettingsOf(settings);
		const flow = await makeEventFlow(rig.client, sandbox, { settings: stored });
		const deliveries = new Arrivals(flow.url, flow.body);
		later(async () => await deliveries.close());
		const asked = await activate(rig.client, answerFlows('POST').ours, stored);
		const questions = new Arrivals(`${rig.url}${new URL(asked).pathname}`, QUESTION);
		later(async () => await questions.close());
		await worked(rig, async () => await fire(deliveries, CALLERS, WARM_UP_SECONDS));
		await worked(rig, async () => await fire(questions, 1, WARM_UP_SECONDS));

		const rest = memoryOf(rig, 'VmRSS');
		for (const { pid } of rig.processes) forgetPeak(pid);
		const events = await worked(rig, async () => await fire(deliveries, CALLERS, seconds));
		const peak = memoryOf(rig, 'VmHWM');
		const answered = await worked(rig, async () => await fire(questions, 1, seconds));
		const roles = Object.keys(rest) as Array<keyof Measured['memory']>;
		return {
			...settings,
			perSecond: rounded((events.count * 1000) / events.ms),
			event: events.cost,
			question: answered.cost,
			answer: { p50: rounded(answered.p50), p99: rounded(answered.p99) },
			memory: Object.fromEntries(
				roles.map((role) => [role, { rest: rest[role] ?? NaN, peak: peak[role] ?? NaN }]),
			),
			...(events.rows !== undefined && { rows: rounded(events.rows) }),
		};
	});
}

/** The median of several measurements of the same settings, figure by figure, and how far their events a second range. */
export function medianOf(runs: readonly Measured[]): Measured {
	const all = runs.map(({ perSecond }) => perSecond);
	return { ...(merge(runs) as Measured), range: [Math.min(...all), Math.max(...all)] };
}

function merge(values: readonly unknown[]): unknown {
	const [first] = values;
	if (typeof first === 'number') return rounded(median(values as number[]));
	if (typeof first !== 'object' || first === null) return first;
	return Object.fromEntries(
		Object.keys(first).map((key) => [
			key,
			merge(values.map((one) => (one as Record<string, unknown>)[key])),
		]),
	);
}

/** Sends as many as are answered, so many under way at once. */
async function fire(arrivals: Arrivals, callers: number, seconds: number) {
	const arrived = arrivedOf(await arrivals.asManyAsGo(callers, seconds));
	const { 200: count = 0, ...others } = arrived.answers;
	if (Object.keys(others).length > 0) throw new Error(`n8n answered ${JSON.stringify(others)}`);
	return { ...arrived, count };
}

/** Does some work and waits until n8n has finished what came of it; what it took is for each of the count. */
async function worked<T extends { count: number }>(rig: Rig, work: () => Promise<T>) {
	const before = await spentBy(rig);
	const began = performance.now();
	const result = await work();
	const ended = await untilIdle(rig);
	const after = await spentBy(rig);
	const each = (key: keyof typeof after) =>
		rounded(((after[key] ?? NaN) - (before[key] ?? NaN)) / result.count);
	return {
		...result,
		ms: ended - began,
		cost: Object.fromEntries(PARTS.map((part) => [part, each(part)])) as Cost,
		rows: after.rows === undefined ? undefined : each('rows'),
	};
}

/** Waits until all processes of n8n have nothing to do, and returns since when. Throws when they never end. */
async function untilIdle({ processes }: Rig): Promise<number> {
	let last = await processorMs(processes);
	const until = performance.now() + MOST_WORK_MS;
	while (performance.now() < until) {
		const since = performance.now();
		await sleep(LOOK_MS);
		const now = await processorMs(processes);
		if (now - last < IDLE * processes.length * LOOK_MS) return since;
		last = now;
	}
	throw new Error(`n8n has not finished after ${MOST_WORK_MS / 1000} s`);
}

/** What every part has taken so far: milliseconds of processor, and rows. */
async function spentBy(rig: Rig): Promise<Cost & { rows?: number }> {
	const of = (role: string) => rig.processes.filter(({ place }) => place.role === role);
	const isQueue = rig.database.kind === 'postgres';
	return {
		main: await processorMs(of('main')),
		webhook: await processorMs(of('webhook')),
		worker: await processorMs(of('worker')),
		postgres: isQueue ? await programMs('postgres') : 0,
		redis: isQueue ? await programMs('redis-server') : 0,
		...(rig.database.kind === 'postgres' && { rows: await rowsWritten(rig.database) }),
	};
}

function memoryOf({ processes }: Rig, field: 'VmRSS' | 'VmHWM') {
	return Object.fromEntries(
		processes.map(({ pid, place }) => [place.role, Math.round(residentMb(pid, field))]),
	);
}
