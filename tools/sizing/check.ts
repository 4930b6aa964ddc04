import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox';
import { makeEventFlow } from '../bench/events';
import { rounded } from '../bench/measure';
import { processorMs, programMs } from '../bench/processor';
import { withCleanups } from '../cleanups';
import { Arrivals, arrivedOf } from '../endurance/arrivals';
import type { Arrived, Sent } from '../endurance/arrivals';
import { startCluster } from '../n8n';
import type { Cluster } from '../n8n';
import { startFrontDoor } from '../n8n/front-door';
import { Executions } from './executions';
import { PARTS } from './measured';
import type { Cost, Engine, Part } from './measured';
import { canSlice, slice } from './slices';
import { drawTimes, middles, SEED } from './traffic';
import type { Traffic } from './traffic';

/** What to check. */
export interface CheckOrder {
	engine: Engine;
	/** How many webhook processes, and as many workers. */
	count: number;
}

/** How a stretch of random arrivals went. */
export interface Watched extends Pick<Arrived, 'sent' | 'answers' | 'p50' | 'p99'> {
	traffic: Traffic;
	/** Milliseconds from the answer until a worker begins. */
	waiting: { p50: number; p99: number };
	/** The middle answer of those that came in each second, in milliseconds. */
	bySecond: number[];
}

/** What the model takes of a real n8n with one webhook process and one worker. */
export interface One {
	/** Processor time of one event when there are always more, without that of idle processes. */
	cost: Cost;
	/** Milliseconds of processor time that each takes in a second with nothing to do. */
	idle: Cost;
	/** Milliseconds until the answer, one event at a time. */
	alone: { p50: number; p99: number };
}

/** What a real n8n in queue mode did with so many processes. */
export interface Checked extends CheckOrder {
	/** The share of a core that each process of n8n had. */
	share?: number;
	/** Where the machine can't give shares: how many cores all shared. */
	cores?: number;
	/** What one webhook process and one worker take; measured with one of each only. */
	one?: One;
	/** Events a second that were taken, as fast as they go. */
	perSecond: number;
	/** Events a second that the workers worked off then. */
	workedOff: number;
	/** Arrivals at random at 60 % of that. */
	steady: Watched;
	/** Arrivals at random at 30 % of that, with a second of ten times as many. */
	burst: Watched;
}

/** At full load, for each webhook process: enough to keep it busy, and few enough that none waits too long. */
const CALLERS = 4;
/** The processes of four clusters of this size, and what serves them, fit into two cores. */
const SHARES: Record<Engine, number> = { vm: 0.2, legacy: 0.1, quickjs: 0.2 };
/** Stretches of so many seconds, until one costs more than 97 % of the one before. */
const WARM_UP = { seconds: 15, most: 4, settled: 0.97 };
const FULL_SECONDS = 30;
const QUIET_MS = 10_000;
const ALONE = { events: 40, pauseMs: 1000 };
const STEADY = { share: 0.6, seconds: 90 };
const BURST = { share: 0.3, seconds: 30, burst: { at: 10, times: 10 } };
const SAVED = { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all' };

/**
 * Measures what n8n in queue mode takes with so many webhook processes and workers behind the front door. Where the
 * machine allows it, each process gets a small share of a core, so that several fit into few cores.
 *
 * @throws when n8n does not start, or refuses an event at full load
 */
export async function runCheck({ engine, count }: CheckOrder): Promise<Checked> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const env = { N8N_LOG_LEVEL: 'error', N8N_EXPRESSION_ENGINE: engine };
		const cluster = await startCluster({ webhooks: count, workers: count, env });
		later(async () => await cluster.dispose());
		const { main, webhooks, workers, database } = cluster;
		const urls = webhooks.map(({ url }) => url);
		const door = await startFrontDoor({ main: main.url, webhooks: urls });
		later(async () => await door.close());
		const flow = await makeEventFlow(await main.signIn(), sandbox, { settings: SAVED });
		const events = new Arrivals(`${door.url}${new URL(flow.url).pathname}`, flow.body);
		later(async () => await events.close());
		const bed = { cluster, events, executions: new Executions(database), count };
		await warmUp(bed);
		const share = canSlice() ? SHARES[engine] : undefined;
		if (share) for (const { pid } of [...webhooks, ...workers]) if (pid) later(slice(pid, share));
		const machine = share ? { share } : { cores: cpus().length };
		return { engine, count, ...machine, ...(await check(bed)) };
	});
}

interface Bed {
	cluster: Cluster;
	events: Arrivals;
	executions: Executions;
	count: number;
}

async function check(bed: Bed): Promise<Omit<Checked, keyof CheckOrder | 'share' | 'cores'>> {
	const quiet = await timesDuring(bed.cluster, async () => await sleep(QUIET_MS));
	const idle = mapCost((part) => rounded(quiet.times[part] / quiet.seconds));
	const from = await bed.executions.last();
	const busy = await timesDuring(bed.cluster, async () => {
		const sent = await full(bed);
		await bed.executions.allDone();
		return sent;
	});
	const { events, perSecond } = busy.result;
	const workedOff = await bed.executions.workedOff(from);
	const cost = mapCost((part) =>
		rounded(Math.max(0, busy.times[part] - idle[part] * busy.seconds) / events),
	);
	const one = bed.count === 1 && { cost, idle, alone: await oneByOne(bed) };
	const steady = await watch(bed, {
		perSecond: rounded(perSecond * STEADY.share),
		seconds: STEADY.seconds,
	});
	const { share, ...rest } = BURST;
	const burst = await watch(bed, { perSecond: rounded(perSecond * share), ...rest });
	return { ...(one && { one }), perSecond, workedOff, steady, burst };
}

/** Sends events until they cost no less than before: n8n's code gets faster while it runs. */
async function warmUp(bed: Bed): Promise<void> {
	let last = Infinity;
	for (let stretch = 0; stretch < WARM_UP.most; stretch++) {
		const { times, result } = await timesDuring(bed.cluster, async () => {
			const sent = await full(bed, WARM_UP.seconds);
			await bed.executions.allDone();
			return sent;
		});
		const each = (times.webhook + times.worker) / result.events;
		if (each > last * WARM_UP.settled) break;
		last = each;
	}
	await sleep(QUIET_MS);
}

/** What each part of n8n takes of the processor during some work. */
async function timesDuring<T>(cluster: Cluster, work: () => Promise<T>) {
	const before = await timesOf(cluster);
	const began = performance.now();
	const result = await work();
	const after = await timesOf(cluster);
	const times = mapCost((part) => after[part] - before[part]);
	return { result, times, seconds: (performance.now() - began) / 1000 };
}

const mapCost = (value: (part: Part) => number) =>
	Object.fromEntries(PARTS.map((part) => [part, value(part)])) as Cost;

async function timesOf({ main, webhooks, workers }: Cluster): Promise<Cost> {
	return {
		main: await processorMs([main]),
		webhook: await processorMs(webhooks),
		worker: await processorMs(workers),
		postgres: await programMs('postgres'),
		redis: await programMs('redis-server'),
	};
}

/** How many events go, and how many a second. */
async function full(
	{ events, count }: Bed,
	duration = FULL_SECONDS,
): Promise<{ events: number; perSecond: number }> {
	const began = performance.now();
	const sent = await events.asManyAsGo(CALLERS * count, duration);
	const seconds = (performance.now() - began) / 1000;
	const { answers } = arrivedOf(sent);
	const refused = Object.keys(answers).filter((answer) => answer !== '200');
	if (refused.length > 0) throw new Error(`n8n refused events: ${JSON.stringify(answers)}`);
	return { events: sent.length, perSecond: rounded(sent.length / seconds) };
}

async function oneByOne({ events, executions }: Bed): Promise<One['alone']> {
	const sent: Sent[] = [];
	while (sent.length < ALONE.events) {
		sent.push(await events.send());
		await sleep(ALONE.pauseMs);
	}
	await executions.allDone();
	const { p50, p99 } = arrivedOf(sent);
	return { p50, p99 };
}

async function watch({ events, executions }: Bed, traffic: Traffic): Promise<Watched> {
	const from = await executions.last();
	const began = performance.now();
	const times = drawTimes(traffic, SEED);
	const sending = times.map(async (at) => {
		await sleep(Math.max(0, began + at * 1000 - performance.now()));
		return await events.send();
	});
	const sent = await Promise.all(sending);
	await executions.allDone();
	const answered = sent.map(({ ms }) => ms);
	return {
		traffic,
		...arrivedOf(sent),
		waiting: await executions.waiting(from),
		bySecond: middles(times, answered, traffic.seconds),
	};
}
