import { rounded } from '../bench/measure';
import type { Checked, One, Watched } from './check';
import { ENGINES } from './measured';
import type { Engine, Measured } from './measured';
import { quantiles, simulate } from './model';
import type { Demand, Plant, Work } from './model';
import { basisOf, workOf } from './need';
import type { Basis, Shape } from './need';
import { drawTimes, middles, SEED } from './traffic';
import type { Traffic } from './traffic';

/** One figure of the model beside the measured one. */
export interface Compared {
	engine: Engine;
	/** Webhook processes, and as many workers. */
	count: number;
	what: string;
	measured: number;
	model: number;
	/** Model by measured. */
	ratio: number;
}

/** The 99th percentile of a normal distribution. */
const Z99 = 2.326;
/** How long the model is sent twice what it takes. */
const FULL_SECONDS = 20;

/**
 * How one event at a time went tells how much of the work is done before the answer, and how it scatters.
 *
 * @param one what was measured with one webhook process and one worker
 * @param share of a core that each had
 */
export function shapeOf({ cost, idle, alone }: One, share = 1): Shape {
	const beforeMs = (alone.p50 - cost.postgres / 2) * (share - idle.webhook / 1000);
	return {
		before: Math.min(1, Math.max(0, beforeMs / cost.webhook)),
		scatter: Math.log(alone.p99 / alone.p50) / Z99,
	};
}

/**
 * What the model takes of the measured settings: queue mode, with the shape that the check of one process tells.
 *
 * @param rows what was measured; the first row without saved executions counts for its engine, or the first of all
 * @param checks an engine without a check of one process is left out
 */
export function basesOf(rows: readonly Measured[], checks: readonly Checked[]): Basis[] {
	return ENGINES.flatMap((engine) => {
		const own = rows.filter((one) => one.mode === 'queue' && one.engine === engine);
		const row = own.find(({ saved }) => !saved) ?? own[0];
		const check = checks.find((other) => other.engine === engine && other.one);
		if (!row || !check?.one) return [];
		return [basisOf({ ...row, rows: leastRows(rows) }, shapeOf(check.one, check.share))];
	});
}

/**
 * Rows of an event where n8n saves its execution, as it does by default. n8n writes rows on its own, too, which weigh more
 * where it takes fewer events; an event's own are the same everywhere.
 */
const leastRows = (all: readonly Measured[]) =>
	Math.min(
		...all.filter((one) => one.mode === 'queue' && one.saved).map(({ rows = Infinity }) => rows),
	);

/**
 * Lets the model predict what was measured: the costs come from full load with one webhook process and one worker, and
 * the model has to tell the rest.
 *
 * @param all what was checked; an engine without a check of one process is left out
 */
export function compareAll(all: readonly Checked[]): Compared[] {
	return all.flatMap((checked) => {
		const base = baseFor(all, checked);
		return base ? compareOne(checked, base) : [];
	});
}

/** The model's answers of a burst, as {@link Checked} has the measured ones; undefined without a check of one process. */
export function burstOf(all: readonly Checked[], checked: Checked): number[] | undefined {
	const base = baseFor(all, checked);
	if (!base) return undefined;
	const { traffic } = checked.burst;
	const { arrivals, answers } = simulate(base.plant, base.work, demandOf(traffic));
	return middles(arrivals, answers, traffic.seconds);
}

interface Base {
	plant: Plant;
	work: Work;
}

/** What the check of one process tells about a check of any number. */
function baseFor(all: readonly Checked[], { engine, count, cores }: Checked): Base | undefined {
	const base = all.find((other) => other.engine === engine && other.one);
	if (!base?.one) return undefined;
	const { one, share = 1 } = base;
	// What idle processes take anyway isn't there for events.
	const shares = {
		webhook: share - one.idle.webhook / 1000,
		worker: share - one.idle.worker / 1000,
	};
	return {
		plant: { webhooks: count, workers: count, share: shares, ...(cores && { cores }) },
		work: workOf(one.cost, shapeOf(one, share), 'webhook'),
	};
}

function compareOne(checked: Checked, { plant, work }: Base): Compared[] {
	const { engine, count, steady, burst } = checked;
	const full = predictFull(plant, work);
	const even = predict(plant, work, steady.traffic);
	const sudden = predict(plant, work, burst.traffic);
	const figures: Array<[what: string, measured: number, model: number]> = [
		['events a second', checked.perSecond, full.taken],
		['executions worked off a second', checked.workedOff, full.worked],
		...latencies('60 % load', steady, even),
		...latencies('burst', burst, sudden),
	];
	return figures.map(([what, measured, model]) => ({
		engine,
		count,
		what,
		measured,
		model: rounded(model),
		ratio: rounded(model / measured),
	}));
}

function latencies(
	when: string,
	measured: Watched,
	model: Prediction,
): Array<[string, number, number]> {
	return [
		[`${when}: answer p50 (ms)`, measured.p50, model.answers.p50],
		[`${when}: answer p99 (ms)`, measured.p99, model.answers.p99],
		[`${when}: execution begins p99 (ms)`, measured.waiting.p99, model.waiting.p99],
	];
}

type Prediction = Record<'answers' | 'waiting', { p50: number; p99: number }>;

function predict(plant: Plant, work: Work, traffic: Traffic): Prediction {
	const { answers, waiting } = simulate(plant, work, demandOf(traffic));
	return { answers: quantiles(answers), waiting: quantiles(waiting) };
}

/** What goes of twice as much as webhook processes can take. */
function predictFull(plant: Plant, work: Work) {
	const twice =
		(2 * 1000 * plant.webhooks * (plant.share?.webhook ?? 1)) / (work.before + work.after);
	const demand = demandOf({ perSecond: twice, seconds: FULL_SECONDS });
	const { answers, arrivals, end } = simulate(plant, work, demand);
	const inTime = answers.filter((ms, index) => (arrivals[index] ?? 0) + ms / 1000 <= FULL_SECONDS);
	return { taken: inTime.length / FULL_SECONDS, worked: answers.length / end };
}

const demandOf = (traffic: Traffic): Demand => ({ times: drawTimes(traffic, SEED), legs: 1 });
