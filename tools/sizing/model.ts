import { randomLcg, randomLogNormal } from 'd3-random';
import { percentile } from '../bench/measure';
import { Clock } from './clock';
import { Pool } from './pool';

/** What one delivery or question takes, in milliseconds of a whole core. */
export interface Work {
	/** In the webhook process until n8n has stored the execution and queued it. */
	before: number;
	/** In the webhook process afterwards. */
	after: number;
	worker: number;
	/** Waiting for PostgreSQL, half of it in the webhook process. */
	database: number;
	/** Who has the answer: an event is answered when it is queued, a question when its workflow has run. */
	answers: 'webhook' | 'worker';
	/** How far the times scatter: sigma of a log-normal distribution. */
	scatter: number;
}

/** n8n in queue mode behind the front door. */
export interface Plant {
	webhooks: number;
	workers: number;
	/** The part of a core that each process has for its work, 1 by default. */
	share?: Record<'webhook' | 'worker', number>;
	/** All processes share so many cores; without it, none waits for another one's. */
	cores?: number;
}

/** Who comes when. */
export interface Demand {
	/** Seconds, ascending. */
	times: readonly number[];
	/** Deliveries at each time, of which only the first starts an execution. */
	legs: number;
}

/** What came of it, in milliseconds. */
export interface Outcome {
	/** Until the answer, in the order in which they were answered. */
	answers: number[];
	/** In Redis, and until a worker has done the first part. */
	waiting: number[];
	refused: number;
	/** The second at which the last execution ended. */
	end: number;
	/** When those came whose answers these are, in seconds. */
	arrivals: number[];
}

/** HAProxy lets so many through to each process, and the others wait so long (docs/front-door/haproxy.cfg). */
const PLACES = { webhook: 8, worker: 32 };
const PATIENCE_SECONDS = { webhook: 6, worker: 2 };
/** Executions of a worker at the same time. */
const CONCURRENCY = 10;
/** JavaScript works on all requests in turns: between two turns, a request waits for the database. */
const TURNS = 4;

/**
 * Simulates how n8n bears deliveries or questions.
 *
 * @param seed between 0 and 1, of the scatter; the same one gives the same outcome
 */
export function simulate(plant: Plant, work: Work, demand: Demand, seed = 0.3): Outcome {
	const { scatter } = work;
	const draw = randomLogNormal.source(randomLcg(seed))(-(scatter ** 2) / 2, scatter);
	return new Simulation(plant, work, demand, draw).run();
}

/** tsx makes each function with a name expensive, so the functions within the methods have none. */
class Simulation {
	private readonly clock = new Clock();
	private readonly door: Pool;
	private readonly redis: Pool;
	private readonly machine: Pool | undefined;
	private readonly takers: Core[];
	private readonly runners: Core[];
	private readonly pause: number;
	private readonly outcome: Outcome = {
		answers: [],
		waiting: [],
		refused: 0,
		end: 0,
		arrivals: [],
	};

	constructor(
		plant: Plant,
		private readonly work: Work,
		private readonly demand: Demand,
		private readonly draw: () => number,
	) {
		const { clock } = this;
		this.door = new Pool(
			clock,
			plant.webhooks,
			PLACES[work.answers],
			PATIENCE_SECONDS[work.answers],
		);
		this.redis = new Pool(clock, plant.workers, CONCURRENCY);
		this.machine = plant.cores ? new Pool(clock, plant.cores, 1) : undefined;
		const { webhook = 1, worker = 1 } = plant.share ?? {};
		this.takers = Array.from({ length: plant.webhooks }, () => coreOf(clock, webhook));
		this.runners = Array.from({ length: plant.workers }, () => coreOf(clock, worker));
		this.pause = work.database / 2 / TURNS / 1000;
	}

	run(): Outcome {
		this.come(0);
		this.clock.run();
		return this.outcome;
	}

	private come(index: number): void {
		const at = this.demand.times[index];
		if (at === undefined) return;
		this.clock.after(at - this.clock.now, () => {
			for (let leg = 0; leg < this.demand.legs; leg++) this.deliver(leg === 0);
			this.come(index + 1);
		});
	}

	private deliver(isFirst: boolean): void {
		const since = this.clock.now;
		this.door.enter(
			(one) => this.take(one, { since, factor: this.draw(), isFirst }),
			() => this.outcome.refused++,
		);
	}

	/** What a webhook process does. */
	private take(one: number, request: Request): void {
		const core = this.takers[one] as Core;
		const { before, after, answers } = this.work;
		this.turns(core, before * request.factor, () => {
			if (answers === 'worker') {
				this.execute(request, () =>
					this.turn(core, after * request.factor, () => this.answer(one, request)),
				);
				return;
			}
			this.answer(one, request);
			this.turn(core, after * request.factor, () => {});
			if (request.isFirst) this.execute(request, () => {});
		});
	}

	private answer(one: number, { since }: Request): void {
		const ms = (this.clock.now - since) * 1000;
		this.outcome.answers.push(ms);
		this.outcome.arrivals.push(since);
		this.door.leave(one);
	}

	/** What Redis and a worker do. */
	private execute({ factor }: Request, done: () => void): void {
		const since = this.clock.now;
		this.redis.enter((one) => {
			const core = this.runners[one] as Core;
			const ms = this.work.worker * factor;
			// n8n notes the start of an execution in the first turn.
			this.turn(core, ms / TURNS, () => {
				this.outcome.waiting.push((this.clock.now - since) * 1000);
				this.clock.after(this.pause, () =>
					this.turns(core, ms, () => this.end(one, done), TURNS - 1),
				);
			});
		});
	}

	private end(one: number, done: () => void): void {
		this.redis.leave(one);
		this.outcome.end = this.clock.now;
		done();
	}

	/** Works in turns with the others on the same core, and waits for the database after each. */
	private turns(core: Core, ms: number, done: () => void, left = TURNS): void {
		this.turn(core, ms / TURNS, () => {
			this.clock.after(this.pause, left === 1 ? done : () => this.turns(core, ms, done, left - 1));
		});
	}

	/** Works on the own core, or when that is free, on the next free core of the machine. */
	private turn({ line, share }: Core, ms: number, done: () => void): void {
		const seconds = ms / 1000 / share;
		const { machine, clock } = this;
		line.enter(() => {
			if (machine)
				machine.enter((one) => {
					clock.after(seconds, () => {
						machine.leave(one);
						line.leave(0);
						done();
					});
				});
			else
				clock.after(seconds, () => {
					line.leave(0);
					done();
				});
		});
	}
}

/** What a process works on. */
interface Core {
	line: Pool;
	share: number;
}

const coreOf = (clock: Clock, share: number): Core => ({ line: new Pool(clock, 1, 1), share });

/** A delivery under way. */
interface Request {
	since: number;
	/** Its own work, in parts of the usual one. */
	factor: number;
	isFirst: boolean;
}

/** The middle of a list of milliseconds, and what 99 of 100 are below. */
export const quantiles = (list: readonly number[]) => ({
	p50: percentile(list, 0.5),
	p99: percentile(list, 0.99),
});
