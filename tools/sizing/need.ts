import type { Cost, Engine, Measured } from './measured';
import { quantiles, simulate } from './model';
import type { Demand, Outcome, Work } from './model';
import { drawTimes, SEED } from './traffic';

/** Calls a second that are simulated. */
export const RATES = [10, 30, 100, 300, 1000, 3000, 10_000] as const;

/** What calls ask of n8n. */
export interface Use {
	name: string;
	/** Events or questions of a call. */
	perCall: number;
	/** How often each is delivered: both legs of a call report an event, and one of them starts an execution. */
	legs: number;
	asks: 'event' | 'question';
}

export const USES: readonly Use[] = [
	{ name: 'one event, such as Call Ended', perCall: 1, legs: 2, asks: 'event' },
	{ name: 'started, answered, and ended', perCall: 3, legs: 2, asks: 'event' },
	{ name: 'only a routing request', perCall: 1, legs: 1, asks: 'question' },
];

/** How calls come: evenly at random, or each minute with a second of ten times as many. */
export const RHYTHMS = ['even', 'bursts'] as const;
export type Rhythm = (typeof RHYTHMS)[number];

/** What one n8n in queue mode takes, by the measurements. */
export interface Basis {
	engine: Engine;
	event: Work;
	question: Work;
	/** Processor time of an execution, in milliseconds. */
	cost: Record<'event' | 'question', Cost>;
	memory: Measured['memory'];
	rows: number;
}

/** What so many calls a second need. */
export interface Need {
	engine: Engine;
	use: string;
	rhythm: Rhythm;
	/** Calls a second. */
	rate: number;
	webhooks: number;
	workers: number;
	/** Processor cores of all processes, PostgreSQL and Redis. */
	cores: number;
	/** GiB of all processes of n8n. */
	memory: number;
	/** Rows that the database writes in a second. */
	rows: number;
	/** Milliseconds until the answer. */
	answer: { p50: number; p99: number };
	/** Milliseconds in the Redis queue. */
	waiting: number;
	/** The part of the calls that was simulated, with the same part of the processes. */
	part: number;
}

/** Seconds: of each simulation, and when its burst begins. */
const SECONDS = 60;
const BURST = { at: 15, times: 10 };
/** Cores of webhook processes' work; of more, a part is simulated with the same part of the processes. */
const MOST_CORES = 10;
/** Limits that the numbers of processes keep: milliseconds by who answers, and the busy part of the time. */
const ANSWER_MS = { webhook: 5000, worker: 1000 };
const START_MS = 10_000;
const BUSY = 0.9;
/** PostgreSQL and Redis are busy for so much of the time. */
const SERVER_BUSY = 0.6;

/** How an execution's work scatters, how much of it is done before the answer, and what it waits for the database. */
export interface Shape {
	/** Of a webhook process's work for an event, from 0 to 1. */
	before: number;
	scatter: number;
}

/** What the model takes of a measured way to run n8n. */
export function basisOf({ engine, event, question, memory, rows }: Measured, shape: Shape): Basis {
	return {
		engine,
		event: workOf(event, shape, 'webhook'),
		question: workOf(question, shape, 'worker'),
		cost: { event, question },
		memory,
		rows: rows ?? NaN,
	};
}

/** What the model takes of the costs of one event or question. */
export function workOf(cost: Cost, { before, scatter }: Shape, answers: Work['answers']): Work {
	return {
		before: cost.webhook * before,
		after: cost.webhook * (1 - before),
		worker: cost.worker,
		database: cost.postgres,
		answers,
		scatter,
	};
}

/** Which calls, and when. */
export interface Asked {
	use: Use;
	rhythm: Rhythm;
	/** Calls a second. */
	rates: readonly number[];
}

/**
 * Finds by simulation the smallest numbers of processes with which no request is refused, 99 of 100 events are answered
 * within 5 seconds and 99 of 100 questions within one, 99 of 100 executions begin within 10 seconds, and a process is
 * busy for 90 % of the time at most.
 *
 * @param mostCores of more work a second for webhook processes, a part is simulated
 * @returns one for each rate
 */
export function findNeeds(basis: Basis, asked: Asked, mostCores = MOST_CORES): Need[] {
	const { use, rhythm, rates } = asked;
	const work = basis[use.asks];
	const most = (mostCores * 1000) / (use.perCall * use.legs * (work.before + work.after));
	const known = new Map<number, Found>();
	return rates.map((rate) => {
		const played = Math.min(rate, most);
		const found = known.get(played) ?? smallest(work, demandOf(use, rhythm, played));
		known.set(played, found);
		return needOf(basis, { use, rhythm, rate }, { ...found, part: played / rate });
	});
}

function demandOf({ perCall, legs }: Use, rhythm: Rhythm, rate: number): Demand {
	const traffic = { perSecond: rate * perCall, seconds: SECONDS };
	return {
		times: drawTimes(rhythm === 'even' ? traffic : { ...traffic, burst: BURST }, SEED),
		legs,
	};
}

function needOf(
	{ engine, cost, memory, rows }: Basis,
	{ use, rhythm, rate }: { use: Use; rhythm: Rhythm; rate: number },
	found: Found & { part: number },
): Need {
	const { outcome, part } = found;
	const webhooks = Math.ceil(found.webhooks / part);
	const workers = Math.ceil(found.workers / part);
	const executions = rate * use.perCall;
	const { postgres, redis } = cost[use.asks];
	const coresOf = (ms: number) => Math.ceil((executions * ms) / 1000 / SERVER_BUSY);
	const { main, webhook, worker } = memory;
	const mebibytes =
		(main?.peak ?? 0) + (webhook?.peak ?? 0) * webhooks + (worker?.peak ?? 0) * workers;
	return {
		engine,
		use: use.name,
		rhythm,
		rate,
		webhooks,
		workers,
		cores: 1 + webhooks + workers + coresOf(postgres) + coresOf(redis),
		memory: Math.ceil(mebibytes / 1024),
		rows: Math.round(executions * rows),
		answer: quantiles(outcome.answers),
		waiting: quantiles(outcome.waiting).p99,
		part,
	};
}

interface Found {
	webhooks: number;
	workers: number;
	outcome: Outcome;
}

function smallest(work: Work, demand: Demand): Found {
	const load = demand.times.length / SECONDS / 1000;
	const taking = demand.legs * (work.before + work.after);
	const least = { webhooks: atLeast(load * taking), workers: atLeast(load * work.worker) };
	const run = (webhooks: number, workers: number) => simulate({ webhooks, workers }, work, demand);
	// The caller of a question waits for both kinds of processes, so both grow together.
	const isQuestion = work.answers === 'worker';
	const workersFor = (webhooks: number) =>
		isQuestion ? Math.ceil((webhooks * work.worker) / taking) : least.workers;
	const webhooks = lowest(least.webhooks, (count) =>
		isAnswered(work, run(count, workersFor(count))),
	);
	const workers = isQuestion
		? workersFor(webhooks)
		: lowest(least.workers, (count) => quantiles(run(webhooks, count).waiting).p99 < START_MS);
	return { webhooks, workers, outcome: run(webhooks, workers) };
}

const atLeast = (cores: number) => Math.max(1, Math.ceil(cores / BUSY));

const isAnswered = (work: Work, { refused, answers }: Outcome) =>
	refused === 0 && quantiles(answers).p99 < ANSWER_MS[work.answers];

/** The lowest whole number from a least one on that fits, where all higher ones fit too. */
function lowest(least: number, fits: (count: number) => boolean): number {
	let [low, high] = [least - 1, least];
	while (!fits(high)) [low, high] = [high, high * 2];
	while (high - low > 1) {
		const middle = Math.floor((low + high) / 2);
		if (fits(middle)) high = middle;
		else low = middle;
	}
	return high;
}

/**
 * What each rate of calls needs, for each use and rhythm.
 *
 * @param rates calls a second
 */
export function simulateAll(bases: readonly Basis[], rates: readonly number[] = RATES): Need[] {
	return bases.flatMap((basis) =>
		USES.flatMap((use) => RHYTHMS.flatMap((rhythm) => findNeeds(basis, { use, rhythm, rates }))),
	);
}
